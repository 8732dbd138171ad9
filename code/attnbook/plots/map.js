attnbookStart("map", ({ root, one, data, say, select }) => {
  const table = one("table"), rows = [...table.tBodies[0].rows];
  const names = rows.map(r => r.cells[0].textContent);
  const tops = [...table.tHead.rows[0].cells].slice(1), keys = tops.map(t => t.textContent);
  const cell = (i, j) => rows[i].cells[j + 1], two = n => (n / 100).toFixed(2);
  const down = rows.length - 1, right = keys.length - 1;
  let head = 0, at = [0, 0], told = false;
  function place(i, j) {
    const row = data[head][i], above = row.filter(n => n > row[j]).length;
    const same = row.filter(n => n === row[j]).length;
    if (same === row.length) return "as all keys of its row";
    return `${same > 1 ? "shares " : ""}place ${above + 1} of ${row.length} in its row` + (same > 1 ? ` with ${same - 1} other${same > 2 ? "s" : ""}` : "");
  }
  function tell(i, j) {
    rows.forEach((r, n) => r.classList.toggle("here", n === i));
    tops.forEach((t, n) => t.classList.toggle("here", n === j));
    say(`Query ${names[i]}, key ${keys[j]}: weight ${two(data[head][i][j])}, ${place(i, j)}.`);
    told = [i, j];
  }
  function fill() {
    rows.forEach((r, i) => keys.forEach((_, j) => {
      const n = data[head][i][j], c = cell(i, j);
      c.textContent = n ? two(n) : "";
      c.style.setProperty("--w", n);
    }));
    if (told) tell(...told);
  }
  const moves = {
    ArrowUp: (i, j) => [i - 1, j], ArrowDown: (i, j) => [i + 1, j],
    ArrowLeft: (i, j) => [i, j - 1], ArrowRight: (i, j) => [i, j + 1],
    Home: (i, j, far) => [far ? 0 : i, 0], End: (i, j, far) => [far ? down : i, right],
    PageUp: (i, j) => [0, j], PageDown: (i, j) => [down, j]
  };
  table.setAttribute("role", "grid");
  rows.forEach((r, i) => keys.forEach((_, j) => {
    const c = cell(i, j);
    c.tabIndex = i || j ? -1 : 0;
    c.addEventListener("focus", () => { cell(...at).tabIndex = -1; at = [i, j]; c.tabIndex = 0; tell(i, j); });
    c.addEventListener("mouseenter", () => tell(i, j));
    c.addEventListener("click", () => c.focus());
    c.addEventListener("keydown", e => {
      if (!moves[e.key]) return;
      e.preventDefault();
      e.stopPropagation();
      const [y, x] = moves[e.key](i, j, e.ctrlKey || e.metaKey);
      if (rows[y] && keys[x] !== undefined) cell(y, x).focus();
    });
  }));
  if (data.length > 1) select("Show", data.map((_, h) => "head " + h), 0, h => { head = h; fill(); });
  say("Point at a cell, or press Tab and the arrow keys. An empty cell is less than 0.005.");
  fill();
});
