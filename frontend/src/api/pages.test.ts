import { expect, test } from "vitest";
import { everything } from "./pages";

test("a list is read to its end, page by page", async () => {
  const asked: unknown[] = [];
  const pages = [
    { items: ["a", "b"], nextCursor: "after-b" },
    { items: [], nextCursor: "after-c" },
    { items: ["d"], nextCursor: null },
  ];
  const all = await everything<string>(async (query) => {
    asked.push(query.cursor);
    const page = pages[asked.length - 1];
    if (!page) throw new Error("there is no such page");
    return page;
  });
  expect(all).toEqual(["a", "b", "d"]);
  expect(asked).toEqual([undefined, "after-b", "after-c"]);
});

test("a service without pages has one", async () => {
  expect(await everything(async () => ({ items: [1, 2] }))).toEqual([1, 2]);
});
