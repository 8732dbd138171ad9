attnbookStart("splitting", ({ root, one, all, make, data, say, select, button }) => {
  let way = 0, at = 0;
  const stage = one(".x-stage"), cells = all(".cell"), kept = all(".kept");
  const names = [0, 1].map(h => make("span", { className: "name", textContent: "head " + h }));
  stage.append(...names);
  stage.setAttribute("role", "img");
  one(".x-strip").setAttribute("role", "img");
  const token = (n, merge) => "t" + (merge ? n % 6 >> 1 : n >> 2);
  function show() {
    const steps = data.ways[way], merge = way > 1;
    const [code, shape, places, memory, axes] = steps[at];
    const before = steps[Math.max(at - 1, 0)][3];
    one(".x-code").replaceChildren(make("code", {}, code), " " + shape);
    cells.forEach((c, n) => {
      c.className = "cell x-move " + token(n, merge);
      c.style.transform = `translate(${40 * places[n][0]}px,${40 * places[n][1]}px)`;
    });
    let moved = 0;
    memory.forEach((n, m) => {
      const k = kept[n], other = before[m] !== n;
      moved += other;
      k.className = `kept x-move ${token(n, merge)}${other ? " moved" : ""}`;
      k.style.transform = `translate(${26 * m}px,0)`;
    });
    const apart = axes === "bhtk" ? 120 : 90;
    names.forEach((s, h) => { s.hidden = axes === "btd"; s.style.transform = `translate(${apart * h}px,-22px)`; });
    const rows = [0, 1, 2].map(y => memory.filter(n => places[n][1] === y).sort((a, b) => places[a][0] - places[b][0]).join(" ")).join("; ");
    stage.setAttribute("aria-label", "rows: " + rows);
    one(".x-strip").setAttribute("aria-label", memory.join(" "));
    const what = !at ? "Start" : moved ? `${moved} numbers get another place in memory` : "Nothing moves in memory";
    say(`Step ${at + 1} of ${steps.length}. ${what}. Rows: ${rows}.`);
    back.disabled = !at;
    next.disabled = at === steps.length - 1;
  }
  const go = by => {
    at = Math.min(Math.max(at + by, 0), data.ways[way].length - 1);
    const on = document.activeElement;
    show();
    if (on === back && back.disabled) next.focus();
    if (on === next && next.disabled) back.focus();
  };
  select("Way", data.names, 0, n => { way = n; at = 0; show(); });
  const back = button("previous", () => go(-1)), next = button("next", () => go(1));
  root.addEventListener("keydown", e => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (!by || e.target.tagName !== "BUTTON") return;
    e.preventDefault();
    e.stopPropagation();
    go(by);
  });
  show();
});
