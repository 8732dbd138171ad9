attnbookStart("likeness", ({ root, one, all, data, say, slider }) => {
  const names = Object.keys(data.keys), keys = Object.values(data.keys), unit = data.unit;
  const query = [...data.start], svg = one("svg"), tip = one(".tip");
  const stops = Array.from({ length: 17 }, (_, n) => n / 2 - 4), sign = n => String(n).replace("-", "\u2212");
  const set = (element, places) => Object.entries(places).forEach(([name, n]) => element.setAttribute(name, n.toFixed(1)));
  const measures = [
    ["Largest dot product", 1, k => k[0] * query[0] + k[1] * query[1], n => sign(n)],
    ["Largest cosine", 1, (k, dot, long) => dot / (long * Math.hypot(...k)), n => sign(n.toFixed(2))],
    ["Smallest distance", -1, k => Math.hypot(k[0] - query[0], k[1] - query[1]), n => n.toFixed(2)]
  ];
  function show() {
    const [x, y] = query, long = Math.hypot(x, y), cells = all("tbody td");
    const told = measures.map(([name, best, measure, text], m) => {
      const values = keys.map(k => measure(k, k[0] * x + k[1] * y, long));
      const top = Math.max(...values.map(n => best * n));
      const won = values.map(n => best * n > top - 1e-6);
      values.forEach((n, r) => {
        cells[3 * r + m].textContent = isNaN(n) ? "none" : text(n);
        cells[3 * r + m].className = won[r] ? "won" : "";
      });
      return isNaN(top) ? "No cosine" : `${name} ${text(best * top)}: ${names.filter((_, r) => won[r]).join(" and ")}`;
    });
    set(one(".query"), { x2: unit * x, y2: -unit * y });
    set(tip, { cx: unit * x, cy: -unit * y });
    const far = long ? 220 / long : 0;
    set(one(".way"), { x1: -far * x, y1: far * y, x2: far * x, y2: -far * y });
    all(".shadow").forEach((line, r) => {
      const [a, b] = keys[r], share = long ? (a * x + b * y) / long ** 2 : 0;
      line.style.visibility = long ? "" : "hidden";
      set(line, { x1: unit * a, y1: -unit * b, x2: unit * share * x, y2: -unit * share * y });
    });
    say(`Query (${sign(x)}, ${sign(y)}). ${told.join(". ")}.`);
  }
  ["query, across", "query, up"].forEach((name, n) => {
    slider(name, stops.map(sign), stops.indexOf(query[n]), at => { query[n] = stops[at]; show(); });
  });
  const inputs = all("input");
  const to = places => places.forEach((place, n) => {
    inputs[n].value = Math.round(2 * place) + 8;
    inputs[n].dispatchEvent(new Event("input"));
  });
  const point = e => {
    const box = svg.getBoundingClientRect(), scale = 300 / box.width / unit;
    to([(e.clientX - box.x - box.width / 2) * scale, (box.y + box.height / 2 - e.clientY) * scale]);
  };
  // A finger on the tip moves it, anywhere else it scrolls the page.  Of a part
  // of an SVG, touch-action is not obeyed: the touch itself is kept.
  const near = e => {
    const box = tip.getBoundingClientRect();
    return Math.hypot(e.clientX - box.x - box.width / 2, e.clientY - box.y - box.height / 2) < 24;
  };
  svg.addEventListener("touchstart", e => {
    if (e.touches.length === 1 && near(e.touches[0])) e.preventDefault();
  }, { passive: false });
  let held = false;
  svg.addEventListener("pointerdown", e => {
    if (!e.isPrimary || e.pointerType !== "mouse" && !near(e)) return;
    held = true;
    svg.setPointerCapture(e.pointerId);
    point(e);
  });
  svg.addEventListener("pointermove", e => held && e.isPrimary && point(e));
  for (const name of ["pointerup", "pointercancel"]) svg.addEventListener(name, () => { held = false; });
  svg.addEventListener("click", point);
  svg.setAttribute("tabindex", 0);
  svg.setAttribute("role", "application");
  svg.setAttribute("aria-label", "The query in the plane; arrow keys move it.");
  svg.addEventListener("keydown", e => {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
    if (!by) return;
    e.preventDefault();
    e.stopPropagation();
    to(query.map((n, i) => n + by[i] / 2));
  });
  show();
});
