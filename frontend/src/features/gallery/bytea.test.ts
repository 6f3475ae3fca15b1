import { expect, it } from "vitest";
import { bytesOf, imageOf } from "./bytea";

it("reads the hex form of a bytea, in either case", () => {
  expect(bytesOf("\\x00ff7Fa0")).toEqual(Uint8Array.of(0, 255, 127, 160));
  expect(bytesOf("\\x")).toEqual(new Uint8Array(0));
});

it("refuses everything else", () => {
  for (const text of [null, "", "00ff", "\\x0", "\\x0g", "\\x:0", "\\000\\377", "\\xā0"])
    expect(bytesOf(text), `${text}`).toBeNull();
});

it("makes an image of them, however long it is", () => {
  expect(imageOf("\\x89504e47")).toBe("data:image/png;base64,iVBORw==");
  expect(imageOf(null)).toBeUndefined();
  const long = imageOf(`\\x${"ff00".repeat(50_000)}`) as string;
  expect(atob(long.split(",")[1] as string)).toHaveLength(100_000);
});
