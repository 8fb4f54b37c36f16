// Looks for faults once the charts are drawn, and stores them in the page.
(() => {
  const all = (from, what) => [...from.querySelectorAll(what)];
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom;
  const boxes = (list) => list.filter((one) => one.textContent).map((one) => [one.textContent, one.getBoundingClientRect()]).filter(([, box]) => box.width);
  function overlaps(list, where, faults) {
    boxes(list).forEach(([one, box], i, found) => {
      for (const [other, place] of found.slice(i + 1)) if (meet(box, place)) faults.push(`${where}: ${one} over ${other}`);
    });
  }
  function look() {
    if (document.documentElement.dataset.charts !== "drawn") return void setTimeout(look, 100);
    const faults = [];
    for (const chart of all(document, ".chart")) {
      const { left, right, top, bottom } = chart.getBoundingClientRect();
      for (const [text, box] of boxes(all(chart, ".main-svg text"))) {
        if (box.left < left - 1 || box.right > right + 1 || box.top < top - 1 || box.bottom > bottom + 1) faults.push(`${chart.id}: ${text} is cut`);
      }
      for (const axis of ["x", "y", "y2"]) overlaps(all(chart, `.${axis}tick text`), chart.id, faults);
      overlaps(all(chart, ".xtitle, .ytitle, .y2title, .legendtext"), chart.id, faults);
    }
    overlaps(all(document, ".standing .tick").filter((tick) => getComputedStyle(tick).visibility === "visible"), "standing", faults);
    for (const cell of all(document, ".bars td, .standing td, .stacked td")) {
      const words = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      for (let node = words.nextNode(); node; node = words.nextNode()) {
        for (const word of node.textContent.matchAll(/\S+/g)) {
          const range = document.createRange();
          range.setStart(node, word.index);
          range.setEnd(node, word.index + word[0].length);
          if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) faults.push(`${word[0]} is broken`);
        }
      }
    }
    const levels = all(document, ".stacked");
    for (const table of levels) {
      const right = table.closest(".scroll").getBoundingClientRect().right;
      for (const [text, box] of boxes(all(table, "th, td"))) if (box.right > right + 1) faults.push(`${text} is hidden`);
    }
    document.body.dataset.levels = levels.length;
    document.body.dataset.faults = faults.join("\n");
  }
  look();
})();
