// Shows the note of a link while the mouse is on either or the link has the
// focus of the keys, and at the first tap; the second tap follows the link.
(() => {
  if (!HTMLElement.prototype.showPopover) return;
  const GAP = 6, EDGE = 12;
  let timer, touched = null;
  const soon = (wait, what) => {
    clearTimeout(timer);
    timer = setTimeout(what, wait);
  };
  function show(link, note, x) {
    clearTimeout(timer);
    if (!note.matches(":popover-open")) note.showPopover({ source: link });
    const lines = [...link.getClientRects()];
    const at = lines.find(r => x >= r.left && x <= r.right) || lines[0];
    const { width, height } = note.getBoundingClientRect();
    const right = document.documentElement.clientWidth - width - EDGE;
    const below = at.bottom + GAP + height < innerHeight || at.top < height + GAP;
    note.style.left = `${scrollX + Math.max(EDGE, Math.min(at.left, right))}px`;
    note.style.top = `${scrollY + (below ? at.bottom + GAP : at.top - GAP - height)}px`;
  }
  document.addEventListener("keydown", e => {
    if (e.key === "Escape") document.querySelector(".atn-note:popover-open")?.hidePopover();
  });
  for (const link of document.querySelectorAll("a[aria-describedby^='note-']")) {
    const note = document.getElementById(link.getAttribute("aria-describedby"));
    const hide = () => soon(200, () => note.matches(":popover-open") && note.hidePopover());
    const byMouse = act => e => e.pointerType === "mouse" && act(e);
    const within = e => note.contains(e.relatedTarget) || e.relatedTarget === link;
    link.addEventListener("pointerenter", byMouse(e => soon(120, () => show(link, note, e.clientX))));
    link.addEventListener("pointerleave", byMouse(hide));
    link.addEventListener("focus", () => link.matches(":focus-visible") && show(link, note));
    link.addEventListener("blur", e => within(e) || hide());
    link.addEventListener("pointerdown", e => {
      const open = note.matches(":popover-open");
      touched = e.pointerType === "mouse" || open ? null : link;
    });
    link.addEventListener("click", e => {
      if (touched !== link) return;
      e.preventDefault();
      touched = null;
      show(link, note, e.clientX);
    });
    if (note.dataset.heard) continue;  // a work's, of several links
    note.dataset.heard = "";
    note.addEventListener("pointerenter", () => clearTimeout(timer));
    note.addEventListener("pointerleave", byMouse(hide));
    note.addEventListener("focusout", e => within(e) || hide());
  }
})();
