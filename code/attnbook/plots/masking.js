attnbookStart("masking", ({ all, data, say, select, button, make }) => {
  const words = data.words, n = words.length, places = words.map((_, i) => i);
  let changed = n - 1, layers = 1;
  const cells = all("td.key"), outs = all("td.out"), heads = all("thead th");
  const boxes = cells.map((cell, c) => {
    const box = make("input", { type: "checkbox", checked: cell.classList.contains("open") });
    box.setAttribute("aria-label", `${words[Math.floor(c / n)]} reads ${words[c % n]}`);
    box.addEventListener("change", show);
    cell.replaceChildren(box);
    return box;
  });
  const reads = (i, j) => boxes[n * i + j].checked;
  function show() {
    let moved = places.map(i => i === changed), broken = places.map(() => false);
    for (let layer = 0; layer < layers; layer++) {
      const any = broken.includes(true);
      moved = places.map(i => moved[i] || places.some(j => moved[j] && reads(i, j)));
      broken = places.map(i => any || !places.some(j => reads(i, j)));
    }
    boxes.forEach((box, c) => { cells[c].className = box.checked ? "key open" : "key shut"; });
    outs.forEach((out, i) => {
      out.textContent = broken[i] ? "NaN" : moved[i] ? "moves" : "stays";
      out.classList.toggle("moved", broken[i] || moved[i]);
      heads[i].classList.toggle("moved", i === changed);
    });
    const list = which => words.filter((_, i) => which[i]).join(", ") || "none";
    const nan = broken.includes(true) ? ` NaN: ${list(broken)}.` : "";
    say(`The word ${words[changed]} changes, ${layers} layer${layers > 1 ? "s" : ""}. Outputs that move: ${list(moved.map((m, i) => m && !broken[i]))}.${nan}`);
  }
  const set = rule => () => {
    boxes.forEach((box, c) => { box.checked = rule(Math.floor(c / n), c % n); });
    show();
  };
  select("change", words, changed, at => { changed = at; show(); });
  select("layers", places.slice(0, data.deepest).map(i => i + 1), 0, at => { layers = at + 1; show(); });
  button("causal", set((i, j) => j <= i));
  button("all open", set(() => true));
  button("last two hidden", set((i, j) => j < n - 2));
  show();
});
