"""Interfaces of other libraries, for agents that expect to write memory directly.

- What is written goes to the agent's own notes: its working memory, which it reads at once, which nobody else sees and
  which ends. The same is proposed as claims, and lasts once somebody accepted it.
- What is read is the union: own notes, and what a recall permits; each is labelled.
- Each module imports its library when it is imported itself, and is an extra: `muniment[langgraph]`,
  `muniment[langchain]`, `muniment[anthropic]`.
"""
