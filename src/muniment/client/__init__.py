"""The client of a Muniment server: the library's verbs and errors, from another machine.

- `Client` and `AsyncClient` have the same verbs; each gives what the server's route gives, as JSON.
- The token is sent to the named server alone: never in the clear to another machine, never where a redirect leads.
- What was lost on the way is asked again, a bounded number of times; a proposal carries a key, so that it is one.
- `review` signs here, with an opened credential, over the diff as it was fetched; the passphrase stays here.
- Needs `muniment[client]`.

>>> from muniment.core.errors import InvalidInput
>>> try:
...     Client("http://memory.example.org", token="mun_x")
... except InvalidInput as refused:
...     print(refused.findings[0].code)
cleartext_token
"""

from muniment.client.clients import AsyncClient as AsyncClient
from muniment.client.clients import Client as Client
from muniment.client.sending import Patience as Patience
