// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { crosshair } from "@/charts/crosshair";
import { Heatmap } from "./Heatmap";

class Observer {
  observe() {}
  unobserve() {}
  disconnect() {}
}
vi.stubGlobal("IntersectionObserver", Observer);
HTMLCanvasElement.prototype.getContext = () => null;
afterEach(() => {
  cleanup();
  crosshair.set(null);
});

/** 12:00:00 */
const FIRST = Date.UTC(2026, 10, 23, 12) / 1_000;
const seconds = [
  { second: FIRST, ids: ["bank-9"], p99: [2], mean: [1], busy: [0.1] },
  { second: FIRST + 1, ids: ["bank-9", "bank-31"], p99: [4, 80], mean: [2, 4], busy: [0.2, 1] },
  { second: FIRST + 2, ids: ["bank-9", "bank-31"], p99: [3, 0], mean: [2, 0], busy: [0.2, 0] },
];

function shown() {
  const picked: number[] = [];
  const source = () => ({ seconds, from: FIRST * 1_000, until: (FIRST + 3) * 1_000, step: 1 });
  render(
    <MantineProvider env="test">
      <Heatmap domain="bank" measure="p99" source={source} pace="second by second" onPick={(t) => picked.push(t)} />
    </MantineProvider>,
  );
  const map = screen.getByRole("group", { name: "p99 of every connection of bank, second by second" });
  const spoken = () => map.querySelector("[aria-live]")?.textContent?.replace(/\d\d-\d\d /, "");
  return { map, spoken, picked, user: userEvent.setup() };
}

it("describes itself when it is focused", async () => {
  const { map, user } = shown();
  await user.tab();
  expect(document.activeElement).toBe(map);
  const description = document.getElementById(map.getAttribute("aria-describedby") ?? "")?.textContent;
  expect(description).toMatch(
    /^2 connections; p99 usually 4 ms, single values from 2 ms to 80 ms, the greatest of 31 at .*12:00:01\. Enter explains/,
  );
});

it("says the cells that the arrow keys visit, and stays within its edges", async () => {
  const { spoken, user } = shown();
  await user.tab();
  const press = async (key: string) => {
    await user.keyboard(`{${key}}`);
    return spoken();
  };
  expect(await press("ArrowLeft")).toBe("bank-9 · 12:00:02 · p99 3 ms"); // the newest of the first connection
  expect(await press("ArrowDown")).toBe("bank-31 · 12:00:02 · no statement ended");
  expect(await press("ArrowLeft")).toBe("bank-31 · 12:00:01 · p99 80 ms");
  expect(await press("ArrowDown")).toBe("bank-31 · 12:00:01 · p99 80 ms");
  expect(await press("ArrowLeft")).toBe("bank-31 · 12:00:00 · not open");
  expect(await press("ArrowLeft")).toBe("bank-31 · 12:00:00 · not open");
  expect(await press("ArrowUp")).toBe("bank-9 · 12:00:00 · p99 2 ms");
});

it("explains the moment that Enter chooses, and none after Escape", async () => {
  const { picked, user } = shown();
  await user.tab();
  await user.keyboard("{Enter}");
  expect(picked).toEqual([]);
  await user.keyboard("{ArrowLeft}{ArrowLeft}{Enter}");
  expect(picked).toEqual([(FIRST + 1.5) * 1_000]);
  await user.keyboard("{Escape}{Enter}");
  expect(picked).toHaveLength(1);
});

it("shows its values as a table, by keyboard too", async () => {
  const { user } = shown();
  await user.tab();
  await user.tab();
  await user.keyboard("{Enter}");
  const dialog = await screen.findByRole("dialog", { name: /^p99 of every connection of bank/ });
  expect(dialog.textContent).toContain("single values from 2 ms to 80 ms");
  const cells = within(await within(dialog).findByRole("row", { name: /^31/ })).getAllByRole("cell");
  expect(cells.map((cell) => cell.textContent?.replace(/\d\d-\d\d /, ""))).toEqual([
    "80 ms",
    "12:00:01",
    "–",
    "80 ms",
    "none ended",
  ]);
});
