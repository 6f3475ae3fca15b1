import { token } from "./colors";
import { drawNow } from "./redraw";

const TITLE_HEIGHT = 34;
const PADDING = 12;
const ROW_HEIGHT = 18;
const SWATCH = 14;

/** A chart's panel as a PNG: its chart as it is now, on the panel's background, under a title and its legend. */
export function pictureOf(panel: Element, title: string): Promise<Blob> {
  const chart = panel.querySelector("canvas");
  const picture = document.createElement("canvas");
  const ctx = picture.getContext("2d");
  if (!chart || !ctx) return Promise.reject(new Error("This browser draws no pictures."));
  drawNow(chart);
  const width = chart.clientWidth || chart.width;
  const ratio = chart.width / width;
  ctx.font = KEY_FONT;
  const keys = keysOf(panel, ctx, width);
  const top = TITLE_HEIGHT + (keys.at(-1)?.bottom ?? 0);
  picture.width = chart.width + 2 * PADDING * ratio;
  picture.height = chart.height + (top + PADDING) * ratio;
  ctx.scale(ratio, ratio);
  ctx.fillStyle = token("--panel");
  ctx.fillRect(0, 0, picture.width, picture.height);
  ctx.fillStyle = token("--text");
  ctx.font = `600 13px ${FAMILY}`;
  ctx.fillText(title, PADDING, 22, width);
  ctx.font = KEY_FONT;
  for (const key of keys) drawKey(ctx, key);
  ctx.drawImage(chart, PADDING, top, width, chart.height / ratio);
  return new Promise((resolve, reject) => {
    picture.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture could not be written."))));
  });
}

const FAMILY = '"Inter Variable", system-ui, sans-serif';
const KEY_FONT = `12px ${FAMILY}`;

type Key = { label: string; look: CSSStyleDeclaration; left: number; bottom: number };

/** The legend of the panel in rows of at most this width. The lines of its keys are borders. */
function keysOf(panel: Element, ctx: CanvasRenderingContext2D, width: number): Key[] {
  let [left, bottom] = [0, ROW_HEIGHT];
  return [...panel.querySelectorAll("header .legend > span")].flatMap((entry) => {
    const swatch = entry.querySelector("i");
    if (!swatch) return [];
    const label = entry.textContent.trim();
    const taken = SWATCH + 5 + ctx.measureText(label).width;
    if (left > 0 && left + taken > width) [left, bottom] = [0, bottom + ROW_HEIGHT];
    const key = { label, look: getComputedStyle(swatch), left, bottom };
    left += taken + SWATCH;
    return [key];
  });
}

function drawKey(ctx: CanvasRenderingContext2D, { label, look, left, bottom }: Key): void {
  const [x, y] = [PADDING + left, TITLE_HEIGHT + bottom - 9];
  ctx.globalAlpha = Number(look.opacity) || 1;
  ctx.strokeStyle = look.borderTopColor;
  ctx.lineWidth = Number.parseFloat(look.borderTopWidth);
  ctx.setLineDash(look.borderTopStyle === "dashed" ? [4, 3] : []);
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(x + SWATCH, y);
  ctx.stroke();
  ctx.globalAlpha = 1;
  ctx.fillStyle = token("--muted");
  ctx.fillText(label, x + SWATCH + 5, y + 4);
}
