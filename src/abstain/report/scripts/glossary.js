// What does a term mean? Its definition in the glossary is shown beside it.
//
// It is shown for a pointer, for the focus of a keyboard and for a tap, until the pointer or the
// focus is elsewhere; Escape hides it.

const slug = (name) => name.replace(/\W+/g, "-");

// Let an element show the definition of a term, if the page has one.
function define(target, name) {
  const id = `term-${slug(name)}`;
  if (!byId(id)) return;
  target.dataset.term = id;
  target.setAttribute("aria-describedby", id);
}

function showDefinitions() {
  const box = byId("definition");
  let owner = null;
  const hide = () => { owner = null; box.hidden = true; };
  const place = () => {
    if (!owner) return;
    const { left, top, bottom } = owner.getBoundingClientRect();
    if (bottom < 0 || top > innerHeight || !owner.isConnected) { hide(); return; }
    const fits = bottom + 6 + box.offsetHeight < innerHeight;
    box.style.left = `${Math.max(8, Math.min(left, document.documentElement.clientWidth - box.offsetWidth - 8))}px`;
    box.style.top = `${fits ? bottom + 6 : Math.max(8, top - 6 - box.offsetHeight)}px`;
  };
  const show = (term) => {
    owner = term;
    box.textContent = byId(term.dataset.term).textContent;
    box.hidden = false;
    place();
  };
  const termOf = ({ target }) => target.closest?.("[data-term]");
  document.addEventListener("pointerover", (event) => {
    const term = termOf(event);
    if (term) show(term); else if (event.target !== box) hide();
  });
  document.addEventListener("focusin", (event) => {
    const term = termOf(event);
    if (term?.matches(":focus-visible")) show(term);
  });
  document.addEventListener("focusout", hide);
  document.addEventListener("click", (event) => { if (termOf(event)) show(termOf(event)); });
  document.addEventListener("keydown", ({ key }) => { if (key === "Escape") hide(); });
  document.addEventListener("scroll", place, { capture: true, passive: true });
}
