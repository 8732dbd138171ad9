document.querySelectorAll(".attnbook-map:not([data-ready])").forEach(map => {
  map.dataset.ready = "yes";
  const heads = JSON.parse(map.dataset.heads);
  const table = map.querySelector("table"), say = map.querySelector("[role=status]");
  const rows = [...table.tBodies[0].rows], names = rows.map(r => r.cells[0].textContent);
  const tops = [...table.tHead.querySelectorAll("th")], keys = tops.map(t => t.textContent);
  const cell = (i, j) => rows[i].cells[j + 1];
  const two = n => (n / 100).toFixed(2);
  let head = 0, at = [0, 0], told = false;

  function tell(i, j) {
    const row = heads[head][i], rank = row.filter(n => n > row[j]).length + 1;
    rows.forEach((r, n) => r.classList.toggle("here", n === i));
    tops.forEach((t, n) => t.classList.toggle("here", n === j));
    say.textContent = "Query " + names[i] + ", key " + keys[j] + ": weight " +
      two(row[j]) + ", number " + rank + " of " + keys.length + " in its row.";
    told = [i, j];
  }
  function fill() {
    rows.forEach((r, i) => keys.forEach((_, j) => {
      const n = heads[head][i][j], c = cell(i, j);
      c.textContent = two(n);
      c.style.setProperty("--w", n);
      c.classList.toggle("dark", n > 55);
    }));
    if (told) tell(...told);
  }
  function go(i, j) {
    cell(...at).tabIndex = -1;
    at = [i, j];
    cell(i, j).tabIndex = 0;
    cell(i, j).focus();
  }
  const steps = {
    ArrowUp: (i, j) => [i - 1, j], ArrowDown: (i, j) => [i + 1, j],
    ArrowLeft: (i, j) => [i, j - 1], ArrowRight: (i, j) => [i, j + 1],
    Home: (i, j) => [i, 0], End: (i, j) => [i, keys.length - 1]
  };
  table.setAttribute("role", "grid");
  rows.forEach((r, i) => keys.forEach((_, j) => {
    const c = cell(i, j);
    c.tabIndex = i || j ? -1 : 0;
    c.addEventListener("focus", () => { cell(...at).tabIndex = -1; at = [i, j]; c.tabIndex = 0; tell(i, j); });
    c.addEventListener("mouseenter", () => tell(i, j));
    c.addEventListener("keydown", e => {
      if (!steps[e.key]) return;
      e.preventDefault();
      e.stopPropagation();
      const [y, x] = steps[e.key](i, j);
      if (rows[y] && keys[x] !== undefined) go(y, x);
    });
  }));
  if (heads.length > 1) {
    const label = document.createElement("label"), select = document.createElement("select");
    heads.forEach((_, h) => select.add(new Option("head " + h, h)));
    select.addEventListener("change", () => { head = +select.value; fill(); });
    label.append("Show ", select);
    map.insertBefore(label, map.querySelector(".attnbook-wide"));
  }
  say.textContent = "Point at a cell, or press Tab and the arrow keys.";
  fill();
});
