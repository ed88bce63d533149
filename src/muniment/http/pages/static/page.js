// Keys for the inbox. Everything here can be done without it.
"use strict";
(() => {
  const changes = () => [...document.querySelectorAll("article[data-change]")];
  const current = () => {
    const inside = document.activeElement && document.activeElement.closest("article[data-change]");
    return inside || document.querySelector("article[data-change].now");
  };
  const go = (article) => {
    if (!article) return;
    for (const one of document.querySelectorAll("article.now")) one.classList.remove("now");
    article.classList.add("now");
    article.focus({ preventScroll: true });
    article.scrollIntoView({ block: "nearest" });
  };
  const step = (by) => {
    const all = changes();
    const at = all.indexOf(current());
    go(all[Math.min(all.length - 1, Math.max(0, at < 0 ? 0 : at + by))]);
  };
  const press = (selector) => {
    const article = current();
    const button = article && article.querySelector(selector);
    if (button && !button.disabled) button.click();
  };
  const reject = () => {
    const article = current();
    const details = article && article.querySelector("details.reject");
    if (!details) return;
    details.open = true;
    details.querySelector("input[name=reason]").focus();
  };
  const help = () => {
    const dialog = document.getElementById("help");
    if (dialog && !dialog.open) dialog.showModal();
  };
  const keys = {
    j: () => step(1),
    k: () => step(-1),
    a: () => press("button.accept"),
    n: () => press("button.needs"),
    e: () => press("a.edit"),
    r: reject,
    "?": help,
  };
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input:not([type=checkbox]), textarea, select, dialog[open]");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || !changes().length) return;
    const act = keys[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  });
  let after = -1;
  document.addEventListener("keydown", (event) => {
    // Enter in the reason of a rejection rejects; without this the first button of the form would accept.
    if (event.key !== "Enter" || event.target.name !== "reason") return;
    const article = event.target.closest("article[data-change]");
    if (!article) return;
    event.preventDefault();
    const button = article.querySelector("details.reject button");
    if (button && !button.disabled) button.click();
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    const article = event.target.closest && event.target.closest("article[data-change]");
    after = article ? changes().indexOf(article) : -1;
  });
  document.addEventListener("htmx:afterSettle", () => {
    if (after < 0) return;
    const all = changes();
    go(all[Math.min(after, all.length - 1)]);
    after = -1;
  });
})();
