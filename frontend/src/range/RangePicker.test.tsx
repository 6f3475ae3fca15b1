// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { crosshair } from "@/charts/crosshair";
import { RangePicker } from "./RangePicker";

afterEach(cleanup);

const NOON = Date.UTC(2026, 10, 23, 12);

const onRange = vi.fn();
const show = () =>
  render(
    <MantineProvider env="test">
      <RangePicker
        range={{ kind: "fixed", from: NOON, to: NOON + 60_000 }}
        onRange={onRange}
        log={false}
        onLog={() => {}}
        compare={null}
      />
    </MantineProvider>,
  );

it("zooms out on Escape, but not while a range is dragged over, which Escape ends", () => {
  show();
  crosshair.drag({ from: NOON, to: NOON + 30_000 });
  fireEvent.keyDown(document.body, { key: "Escape" });
  expect(onRange).not.toHaveBeenCalled();
  crosshair.drag(null);
  fireEvent.keyDown(document.body, { key: "Escape" });
  expect(onRange).toHaveBeenCalledOnce();
});

it("says what is wrong of what was typed, and not of the fields that are opened again", async () => {
  show();
  const open = screen.getByRole("button", { name: "From … to …" });
  fireEvent.click(open);
  const from = await screen.findByLabelText("From");
  fireEvent.change(from, { target: { value: "2026-11-23T13:00:00" } });
  fireEvent.click(screen.getByRole("button", { name: "Show" }));
  await screen.findByText("The begin must be before the end.");
  fireEvent.click(open);
  await waitFor(() => expect(screen.queryByLabelText("From")).toBeNull());
  fireEvent.click(open);
  expect((await screen.findByLabelText<HTMLInputElement>("From")).value).toMatch(/^2026-11-23T12:00/);
  expect(screen.queryByRole("alert")).toBeNull();
});
