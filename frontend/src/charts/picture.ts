import { token } from "./colors";

const TITLE_HEIGHT = 34;
const PADDING = 12;

/** A chart as a PNG, on the panel's background and under a title. */
export function pictureOf(chart: HTMLCanvasElement, title: string): Promise<Blob> {
  const ratio = chart.width / (chart.clientWidth || chart.width);
  const picture = document.createElement("canvas");
  picture.width = chart.width + 2 * PADDING * ratio;
  picture.height = chart.height + (TITLE_HEIGHT + PADDING) * ratio;
  const ctx = picture.getContext("2d");
  if (!ctx) return Promise.reject(new Error("This browser draws no pictures."));
  ctx.fillStyle = token("--panel");
  ctx.fillRect(0, 0, picture.width, picture.height);
  ctx.fillStyle = token("--text");
  ctx.font = `600 ${13 * ratio}px "Inter Variable", system-ui, sans-serif`;
  ctx.fillText(title, PADDING * ratio, 22 * ratio, picture.width - 2 * PADDING * ratio);
  ctx.drawImage(chart, PADDING * ratio, TITLE_HEIGHT * ratio);
  return new Promise((resolve, reject) => {
    picture.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture could not be written."))));
  });
}
