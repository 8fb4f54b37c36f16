// Draws the page's charts from the data in #stend-data, with the library in #stend-library, both
// gzipped in base64. What a chart holds is decided where the page is written; here are its looks
// alone.
(() => {
  "use strict";
  const root = document.documentElement;
  let data;

  // A slot is told by its marker and its dash, so that the charts read without colour.
  const MARKERS = ["circle", "square", "diamond", "triangle-up", "cross", "x", "star", "triangle-down"];
  const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "8px,2px,2px,2px,2px,2px", "2px,6px", "12px,6px"];
  const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif";
  // Charts on A4, CSS pixels: over the width less the margins, or two side by side.
  const ON_PAPER = { wide: { width: 690, height: 215 }, half: { width: 336, height: 210 } };

  const colour = (name) => getComputedStyle(root).getPropertyValue("--" + name).trim();
  // plotly reads its texts as a kind of HTML.
  const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const at = (list, slot) => list[slot % list.length];

  // Browsers since 2025 have it; the other way takes ten times as long.
  const bytesOf = (base64) => Uint8Array.fromBase64?.(base64) ?? Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

  function unpack(packed) {
    const bytes = bytesOf(packed.base64);
    const view = new DataView(bytes.buffer);
    const out = new Float64Array(bytes.length / 2);
    for (let i = 0; i < out.length; i++) out[i] = view.getUint16(2 * i, true) * packed.step;
    return out;
  }

  function summed(values) {
    let sum = 0;
    return values.map((v) => (sum += v));
  }

  const unpacked = new Map();
  function samplesOf(number) {
    if (!unpacked.has(number)) {
      const curve = data.curves[number];
      const iops = unpack(curve.samples.iops);
      const times = curve.samples.t_s;
      const written = curve.samples.written_bytes;
      unpacked.set(number, {
        time: times ? summed(unpack(times)) : iops.map((_, i) => (i + 1) * curve.interval_s),
        written: written ? summed(unpack(written)) : new Float64Array(iops.length),
        iops,
      });
    }
    return unpacked.get(number);
  }

  function valuesOf(trace, chart) {
    if (trace.curve === undefined) {
      const names = (values) => values.map((v) => (typeof v === "string" ? plain(v) : v));
      return { x: names(trace.x), y: names(trace.y) };
    }
    const curve = data.curves[trace.curve];
    const values = trace.role === "samples"
      ? samplesOf(trace.curve)
      : { time: curve.mean_t_s, written: curve.mean_written_bytes, iops: curve.mean_iops };
    return {
      x: values[trace.along].map((v) => v * chart.x.multiply),
      y: values.iops.map((v) => v * chart.y.multiply),
    };
  }

  function pointTrace(trace, chart, common) {
    const hue = colour("c" + (trace.slot % 8));
    const figure = "%{y:,.4~r} " + plain(chart.y.unit);
    const marker = { color: hue, symbol: at(MARKERS, trace.slot) };
    const line = { color: hue, dash: at(DASHES, trace.slot) };
    switch (trace.role) {
      case "samples":
        return {
          ...common,
          mode: "markers",
          showlegend: false,
          legendgroup: common.name,
          opacity: .42,
          marker: { ...marker, size: 3.6 },
          hovertemplate: "%{x:,.4~r} " + plain(chart.x.unit) + ": " + figure + "<extra>" + data.words.sample.replace("{}", common.name) + "</extra>",
        };
      case "means":
        return {
          ...common,
          mode: "lines+markers",
          legendgroup: common.name,
          line: { ...line, width: 2.6 },
          // Few markers: enough to tell the line, not enough to hide it.
          marker: { ...marker, size: 9, maxdisplayed: 14, line: { color: colour("paper"), width: 1 } },
          hovertemplate: "%{x:,.4~r} " + plain(chart.x.unit) + ": " + figure + "<extra>" + data.words.mean.replace("{}", common.name) + "</extra>",
        };
      case "temperature":
        return {
          ...common,
          yaxis: "y2",
          mode: "lines",
          line: { color: colour("muted"), dash: at(DASHES, trace.slot), width: 1.2 },
          hovertemplate: "%{x:,.4~r} " + plain(chart.x.unit) + ": %{y:,.3~r} " + plain(chart.y2.unit) + "<extra>" + common.name + "</extra>",
        };
      case "curve":
      case "steps":
        return {
          ...common,
          mode: "lines",
          line: { ...line, width: 2.2, shape: trace.role === "steps" ? "hv" : "linear" },
          hovertemplate: "%{x:,.4~r} " + plain(chart.x.unit) + ": %{y:,.4~r} " + plain(chart.y.unit) + "<extra>" + common.name + "</extra>",
        };
      case "thin":
        return {
          ...common,
          mode: "lines+markers",
          line: { ...line, width: 1.2 },
          marker: { ...marker, size: 5 },
          hovertemplate: figure,
        };
      default:
        return {
          ...common,
          mode: "lines+markers",
          line: { ...line, width: 2.4 },
          marker: { ...marker, size: 9 },
          hovertemplate: figure,
        };
    }
  }

  const widthOf = (chart, size) => size?.width ?? document.getElementById(chart.id).clientWidth;
  const fontSizeOf = (size) => (size ? 10 : 13);

  // A text in lines that fit into a width: plotly would cut it. A word that is too long is broken
  // after a mark, or anywhere.
  const ruler = document.createElement("canvas").getContext("2d");
  function inLines(text, room, fontSize) {
    ruler.font = fontSize + "px " + FONT;
    const fits = (text) => ruler.measureText(text).width <= room;
    const lines = [""];
    const put = (pieces, smaller) => {
      for (const piece of pieces) {
        const line = lines.at(-1) + piece;
        if (fits(line.trimEnd())) lines[lines.length - 1] = line;
        else if (smaller && !fits(piece.trimEnd())) smaller(piece);
        else lines.push(piece);
      }
    };
    const letters = (piece) => put(piece);
    const marks = (word) => put(word.split(/(?<=[._/-])/), letters);
    put(text.split(/(?<= )/), marks);
    return lines.filter(Boolean).map((line) => plain(line.trimEnd())).join("<br>");
  }

  // Beside a name in the legend are the vertical axis with its labels, and the trace's symbol.
  const BESIDE_NAME = 100 + 48;
  const legendName = (name, chart, size) => inLines(name, widthOf(chart, size) - BESIDE_NAME, fontSizeOf(size));

  // Titles of axes are larger than other texts. Beside the horizontal one are the labels of the
  // vertical axis; above and below the vertical one are the buttons, other labels and the legend.
  const TITLE_SIZE = 1.2;
  const BESIDE_TITLE = 104;
  function titleOf(axis, side, chart, size) {
    const width = widthOf(chart, size);
    const around = size ? 80 : width < 600 ? 180 : 120;
    const room = side === "x" ? width - BESIDE_TITLE : (size?.height ?? chart.height_px) - around;
    return inLines(axis.title, room, TITLE_SIZE * fontSizeOf(size));
  }

  function traceOf(trace, chart, size) {
    const name = legendName(trace.name, chart, size);
    const common = { type: "scatter", name, ...valuesOf(trace, chart) };
    return pointTrace(trace, chart, common);
  }

  // The labels of ticks along a chart of a width, those left empty that would reach over others: the
  // ticks themselves stay. The ends of the axis have theirs first.
  const LABEL_GAP = 8;
  // Mean width of a letter as a share of its size.
  const LETTER = .6;
  function labelsWithRoom(axis, texts, width, fontSize) {
    const scale = (v) => (axis.scale === "log" ? Math.log10(v) : v);
    const places = axis.scale === "category" ? texts.map((_, i) => i) : axis.tick_values.map(scale);
    const chosen = axis.scale === "category" ? [-.5, places.length - .5] : [Math.min(...places), Math.max(...places)];
    const ends = axis.range?.map(scale) ?? chosen;
    // Beside the ends of an axis that plotly chooses, markers have room.
    const plot = axis.scale === "category" ? width - 130 : (width - 84) * (axis.range ? 1 : .88);
    const perUnit = plot / (Math.abs(ends[1] - ends[0]) || 1);
    const length = (text) => LETTER * fontSize * Math.max(...text.split("<br>").map((line) => line.length));
    const kept = [];
    const last = texts.length - 1;
    const order = [0, last, ...texts.keys()].filter((i, nth, all) => all.indexOf(i) === nth && i >= 0);
    for (const i of order) {
      const free = kept.every((other) => {
        const apart = Math.abs(places[i] - places[other]) * perUnit;
        return apart >= (length(texts[i]) + length(texts[other])) / 2 + LABEL_GAP;
      });
      if (free) kept.push(i);
    }
    return texts.map((text, i) => (kept.includes(i) ? text : ""));
  }

  // Names along a horizontal axis of names, in the order of the traces.
  function namesAlong(axis, side, chart) {
    if (axis.scale !== "category" || side !== "x") return undefined;
    return [...new Set(chart.traces.flatMap((trace) => trace.x ?? []))];
  }

  function axisOf(axis, side, chart, size) {
    const out = {
      title: { text: titleOf(axis, side, chart, size), standoff: 12 },
      gridcolor: colour("grid"),
      linecolor: colour("line"),
      zerolinecolor: colour("line"),
      ticks: "outside",
      tickcolor: colour("line"),
      automargin: true,
      separatethousands: true,
      exponentformat: "none",
    };
    const names = axis.tick_texts ?? namesAlong(axis, side, chart);
    if (names) {
      out.tickvals = axis.tick_values ?? names.map((_, i) => i);
      // Many long names side by side: the unit, or the second number, goes under the first.
      const length = LETTER * fontSizeOf(size) * names.join("").length;
      const crowded = side === "x" && length > (axis.scale === "category" ? .5 : .8) * widthOf(chart, size);
      const texts = names.map((text) => crowded ? plain(text).replace(/\u00a0| : /, "<br>") : plain(text));
      out.ticktext = side === "x" ? labelsWithRoom(axis, texts, widthOf(chart, size), fontSizeOf(size)) : texts;
      out.tickangle = 0;
    }
    switch (axis.scale) {
      case "log":
        out.type = "log";
        break;
      case "reversed":
        out.autorange = "reversed";
        break;
      case "category":
        out.type = "category";
        break;
      default:
        // A figure's length is read from zero.
        if (!axis.range) out.rangemode = "tozero";
    }
    // plotly wants the ends of a logarithmic axis as exponents.
    if (axis.range) out.range = axis.scale === "log" ? axis.range.map(Math.log10) : axis.range;
    return out;
  }

  // Places of the marks' labels above the plot: to the right of their poles, or to the left where
  // the right has no room. One that reaches over another, or over its pole, stands a row above it.
  const MARK_ROW = 15;
  function markLabels(chart, width) {
    const plot = width - 84;
    const scale = (v) => (chart.x.scale === "log" ? Math.log10(v) : v);
    const [from, to] = chart.x.range.map(scale);
    const labels = chart.marks.map((mark) => {
      const pole = plot * (scale(mark.at) - from) / (to - from);
      const length = 7 * mark.text.length + 10;
      const back = pole + length > plot + 24;
      return { back, left: back ? pole - length : pole, right: back ? pole : pole + length, row: 0 };
    });
    const forward = labels.filter((label) => !label.back).reverse();
    const placed = [];
    for (const label of [...forward, ...labels.filter((label) => label.back)]) {
      for (const other of placed) {
        if (label.left < other.right && other.left < label.right) label.row = Math.max(label.row, other.row + 1);
      }
      placed.push(label);
    }
    return labels;
  }

  // A thin dashed upright for each mark, with its label on a pole above the plot.
  function marksOf(chart, width) {
    if (!chart.marks) return { shapes: [], annotations: [], height: 0 };
    const labels = markLabels(chart, width);
    const log = chart.x.scale === "log";
    const line = { color: colour("muted"), width: 1, dash: "5px,4px" };
    return {
      height: MARK_ROW * Math.max(...labels.map((label) => label.row + 1)),
      shapes: chart.marks.map((mark) => ({ type: "line", x0: mark.at, x1: mark.at, yref: "paper", y0: 0, y1: 1, line })),
      annotations: chart.marks.map((mark, i) => ({
        // Of annotations, unlike shapes, plotly wants exponents on a logarithmic axis.
        x: log ? Math.log10(mark.at) : mark.at,
        yref: "paper",
        y: 1,
        ax: 0,
        ay: -(MARK_ROW / 2 + MARK_ROW * labels[i].row),
        xanchor: labels[i].back ? "right" : "left",
        yanchor: "middle",
        align: "left",
        text: plain(mark.text),
        font: { size: 12, color: colour("muted") },
        showarrow: true,
        arrowhead: 0,
        arrowwidth: 1,
        arrowcolor: colour("muted"),
        borderpad: 1,
      })),
    };
  }

  // Shaded stretches under the traces; one of them stands for all in the legend.
  function bandsOf(chart, size) {
    return (chart.bands ?? []).map((band, i) => ({
      type: "rect",
      layer: "below",
      x0: band.from,
      x1: band.to,
      yref: "paper",
      y0: 0,
      y1: 1,
      fillcolor: colour("grid"),
      opacity: .6,
      line: { width: 0 },
      name: legendName(band.text, chart, size),
      showlegend: i === 0,
    }));
  }

  function layoutOf(chart, size) {
    const width = widthOf(chart, size);
    const marks = marksOf(chart, width);
    // Temperatures have an axis of their own, not read from zero.
    const second = chart.y2
      ? { yaxis2: { ...axisOf(chart.y2, "y", chart, size), rangemode: "normal", overlaying: "y", side: "right", showgrid: false } }
      : {};
    return {
      ...second,
      width: size?.width,
      height: size ? size.height + marks.height : chart.height_px,
      autosize: !size,
      margin: { l: size ? 40 : 60, r: size ? 8 : 24, t: (size ? 10 : 34) + marks.height, b: size ? 30 : 40 },
      shapes: [...bandsOf(chart, size), ...marks.shapes],
      annotations: marks.annotations,
      paper_bgcolor: colour("paper"),
      plot_bgcolor: colour("paper"),
      font: { family: FONT, size: fontSizeOf(size), color: colour("ink") },
      separators: data.words.separators,
      // There is something to tell apart.
      showlegend: new Set(chart.traces.map((trace) => trace.name)).size > 1 || Boolean(chart.bands),
      legend: { orientation: "h", x: 0, xanchor: "left", yref: "container", y: 0, yanchor: "bottom", traceorder: "normal" },
      hovermode: chart.kind === "lines" ? "x unified" : "closest",
      hoverlabel: { bgcolor: colour("panel"), bordercolor: colour("line"), font: { family: FONT, color: colour("ink") }, namelength: -1 },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("muted"), activecolor: colour("link") },
      xaxis: axisOf(chart.x, "x", chart, size),
      yaxis: axisOf(chart.y, "y", chart, size),
    };
  }

  // The saved picture carries the title and the note, which on the page stand above it.
  function save(element, chart) {
    const note = data.note ? "<br><b>" + plain(data.note) + "</b>" : "";
    const layout = {
      ...element.layout,
      title: { text: plain(data.subject) + "<br>" + plain(chart.title) + note, x: 0.02, y: 0.97, yanchor: "top", xanchor: "left", font: { size: 16 } },
      margin: { ...element.layout.margin, t: element.layout.margin.t + 76 },
      height: chart.height_px + 90,
      width: element.clientWidth,
    };
    Plotly.downloadImage({ data: element.data, layout }, { format: "png", scale: 2, width: layout.width, height: layout.height, filename: chart.id });
  }

  function configOf(chart) {
    return {
      responsive: true,
      displaylogo: false,
      displayModeBar: true,
      showSendToCloud: false,
      plotlyServerURL: "",
      locale: data.words.language,
      locales: { [data.words.language]: { dictionary: data.words.library } },
      modeBarButtonsToRemove: ["toImage", "select2d", "lasso2d", "autoScale2d"],
      modeBarButtonsToAdd: [{
        name: "toImage",
        title: data.words.save,
        icon: Plotly.Icons.camera,
        click: (element) => save(element, chart),
      }],
    };
  }

  // Width with which each chart was drawn: titles, labels and names are laid out for it.
  const drawnWidth = new Map();
  const draw = (chart, size) => {
    drawnWidth.set(chart.id, widthOf(chart, size));
    return Plotly.react(
      chart.id,
      chart.traces.map((trace) => traceOf(trace, chart, size)),
      layoutOf(chart, size),
      configOf(chart),
    );
  };

  async function drawOne(chart) {
    const element = document.getElementById(chart.id);
    if (element.dataset.drawn || element.dataset.failed) return;
    try {
      await draw(chart);
      element.dataset.drawn = element.querySelectorAll(".main-svg g.trace").length;
    } catch (error) {
      element.dataset.failed = "";
      console.error(chart.id, error);
      const text = document.createElement("p");
      text.className = "failed";
      text.textContent = data.words.failed.replace("{}", error);
      element.replaceChildren(text);
    }
  }

  // What is in sight first, the rest while the reader looks at it.
  async function drawAll() {
    const wanted = new Set();
    const sight = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) wanted.add(entry.target.id);
        else wanted.delete(entry.target.id);
      }
    }, { rootMargin: "400px" });
    const charts = new Map(data.charts.map((chart) => [chart.id, chart]));
    for (const id of charts.keys()) sight.observe(document.getElementById(id));
    for (const id of charts.keys()) sizes.observe(document.getElementById(id));
    while (charts.size) {
      // The page stays alive between two charts.
      await new Promise((next) => setTimeout(next));
      const near = [...wanted].find((id) => charts.has(id));
      const id = near ?? charts.keys().next().value;
      await drawOne(charts.get(id));
      charts.delete(id);
    }
    sight.disconnect();
    root.dataset.charts = document.querySelector("[data-failed]") ? "failed" : "drawn";
  }

  const redraw = (sizeOf) => (data?.charts ?? [])
    .filter((chart) => document.getElementById(chart.id).dataset.drawn)
    .forEach((chart) => draw(chart, sizeOf?.(chart)));

  // Which labels have room depends on the width, which a browser may still change after the first
  // charts are drawn.
  let resized;
  const sizes = new ResizeObserver(() => {
    clearTimeout(resized);
    resized = setTimeout(() => {
      if ("paper" in root.dataset) return;
      const { charts } = data;
      charts.filter((chart) => {
        const { clientWidth, dataset } = document.getElementById(chart.id);
        return dataset.drawn && clientWidth && clientWidth !== drawnWidth.get(chart.id);
      }).forEach((chart) => draw(chart));
    }, 200);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redraw());
  // Paper is white and narrow. What is folded stays so: what the reader wants printed is unfolded.
  addEventListener("beforeprint", () => {
    root.dataset.paper = "";
    redraw((chart) => document.getElementById(chart.id).closest("figure.half") ? ON_PAPER.half : ON_PAPER.wide);
  });
  addEventListener("afterprint", () => {
    delete root.dataset.paper;
    redraw();
  });

  // The menu stands open beside the text, and closed above it.
  const menu = document.querySelector("nav.menu details");
  const narrow = matchMedia("(max-width: 1000px)");
  const fold = () => { menu.open = !narrow.matches; };
  narrow.addEventListener("change", fold);
  fold();
  menu.addEventListener("click", (event) => {
    if (narrow.matches && event.target.closest("a")) menu.open = false;
  });
  // The entry of the section that is being read.
  const links = new Map([...menu.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
  const read = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      for (const [id, link] of links) {
        if (id === target.id) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
      // Within the menu alone: the page must not move.
      const link = links.get(target.id);
      const list = link?.closest("ol");
      if (list) list.scrollTop = link.offsetTop - list.offsetTop - list.clientHeight / 2;
    }
  }, { rootMargin: "-15% 0px -75% 0px" });
  document.querySelectorAll("main > section").forEach((section) => read.observe(section));

  async function decompressed(id) {
    const bytes = bytesOf(document.getElementById(id).textContent);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  }

  async function start() {
    data = JSON.parse(await decompressed("stend-data"));
    if (data.charts.length) {
      const library = document.createElement("script");
      library.textContent = await decompressed("stend-library");
      document.head.append(library);
    }
    await drawAll();
  }
  start().catch((error) => {
    root.dataset.charts = "failed";
    console.error(error);
    for (const chart of document.querySelectorAll(".chart")) {
      // Without the data there are no words either.
      chart.textContent = data ? data.words.failed.replace("{}", error) : String(error);
    }
  });
})();
