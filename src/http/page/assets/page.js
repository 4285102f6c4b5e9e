// Keeps the page as it would be if it were loaded anew: asks for the same address, and puts what has changed into place. The server writes
// everything; nothing here makes markup of data.
"use strict";

(() => {
  const main = document.getElementById("main");
  const notice = document.getElementById("notice");
  if (!main) return;

  let tag = null;
  let offBy = 0; // The server's clock less this one's, in milliseconds.
  let lost = null; // When the server was heard last, while it cannot be heard.
  let timer = 0;
  let asked = 0;

  const now = () => Date.now() + offBy;
  const agree = (from) => { if (from.dataset.now) offBy = Number(from.dataset.now) - Date.now(); };

  // The same rule as the server's.
  const ago = (milliseconds) => {
    const seconds = Math.max(0, Math.floor(milliseconds / 1000));
    if (seconds < 60) return `${seconds} s ago`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
    if (seconds < 172800) return `${Math.floor(seconds / 3600)} h ago`;
    return `${Math.floor(seconds / 86400)} d ago`;
  };

  const tick = () => {
    for (const time of document.querySelectorAll("time[data-ago]")) {
      const words = ago(now() - Date.parse(time.dateTime));
      if (time.textContent !== words) time.textContent = words;
    }
    if (lost !== null) say(`tidemark does not answer. What is shown was read ${ago(Date.now() - lost)}.`, true);
  };

  const say = (words, alarm) => {
    if (notice.textContent !== words) notice.textContent = words;
    notice.classList.toggle("alarm", alarm);
  };

  // Makes `old` like `fresh` and leaves alone what is alike already, so that focus, selection and scroll stay.
  const morph = (old, fresh) => {
    if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName) return void old.replaceWith(fresh);
    if (old.nodeType !== Node.ELEMENT_NODE) {
      if (old.data !== fresh.data) old.data = fresh.data;
      return;
    }
    attributes(old, fresh);
    children(old, fresh);
  };

  // What the reader has changed is his: whether something is folded, what he types, whether a button is offered.
  const kept = (element, name) =>
    (name === "open" && element.nodeName === "DETAILS") ||
    (name === "value" && element === document.activeElement) ||
    (name === "hidden" && element.nodeName === "BUTTON");

  const attributes = (old, fresh) => {
    for (const { name, value } of fresh.attributes) {
      if (old.getAttribute(name) !== value && !kept(old, name)) old.setAttribute(name, value);
    }
    for (const { name } of [...old.attributes]) {
      if (!fresh.hasAttribute(name) && !kept(old, name)) old.removeAttribute(name);
    }
  };

  const key = (node) => (node.nodeType === Node.ELEMENT_NODE && node.dataset && node.dataset.key) || null;

  const children = (old, fresh) => {
    const keyed = new Map();
    for (const node of old.childNodes) if (key(node)) keyed.set(key(node), node);
    let at = old.firstChild;
    for (const node of [...fresh.childNodes]) {
      const same = key(node) ? keyed.get(key(node)) : at && !key(at) ? at : null;
      if (same) {
        if (same !== at) old.insertBefore(same, at);
        else at = at.nextSibling;
        if (key(node)) keyed.delete(key(node));
        morph(same, node);
      } else {
        old.insertBefore(node, at);
      }
    }
    while (at) {
      const next = at.nextSibling;
      at.remove();
      at = next;
    }
  };

  const load = async () => {
    const turn = ++asked;
    const headers = tag ? { "If-None-Match": tag } : {};
    try {
      const answer = await fetch(location.href.split("#")[0], { headers, cache: "no-store" });
      if (turn !== asked) return;
      if (answer.status === 200 || answer.status === 404) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.getElementById("main");
        if (turn !== asked || !fresh) return;
        tag = answer.headers.get("ETag");
        agree(fresh);
        document.title = page.title;
        morph(main, fresh);
        offer();
      } else if (answer.status !== 304) {
        throw new Error(`status ${answer.status}`);
      }
      if (lost !== null) say("", false);
      lost = null;
    } catch {
      if (turn !== asked) return;
      if (lost === null) lost = Date.now();
    }
    tick();
    again();
  };

  const again = () => {
    clearTimeout(timer);
    const seconds = Number(main.dataset.refresh);
    if (seconds > 0 && !document.hidden) timer = setTimeout(load, seconds * 1000);
  };

  // Commands can be copied where a script can do it.
  const offer = () => {
    for (const button of document.querySelectorAll("button[data-copy]")) button.hidden = false;
  };

  const copy = async (button) => {
    const source = document.getElementById(button.dataset.copy);
    const selection = getSelection();
    selection.selectAllChildren(source);
    let done = false;
    try {
      await navigator.clipboard.writeText(source.textContent);
      done = true;
    } catch {
      // Without HTTPS there is no clipboard, but for the old way; the text stays selected in any case.
      done = document.execCommand("copy");
    }
    say(done ? "Copied." : "Selected: copy it with the keyboard.", false);
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-copy]");
    if (button) copy(button);
  });

  // Searching follows the typing; what is typed becomes the address.
  let typing = 0;
  document.addEventListener("input", (event) => {
    if (event.target.id !== "q") return;
    clearTimeout(typing);
    typing = setTimeout(() => {
      const wanted = new URLSearchParams(new FormData(event.target.form));
      if (!wanted.get("q")) wanted.delete("q");
      const query = wanted.toString();
      history.replaceState(null, "", query ? `?${query}` : location.pathname);
      tag = null;
      load();
    }, 150);
  });

  document.addEventListener("keydown", (event) => {
    const field = document.getElementById("q");
    const elsewhere = !/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.nodeName);
    if (event.key === "/" && field && elsewhere && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      field.focus();
    }
  });

  document.addEventListener("visibilitychange", () => { if (!document.hidden && main.dataset.refresh) load(); });

  agree(main);
  offer();
  setInterval(tick, 1000);
  again();
})();
