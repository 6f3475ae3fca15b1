// @vitest-environment jsdom
import { cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CodeMissing, loadCode } from "@/ui/loadCode";
import { Reload } from "./Reload";

beforeEach(() => sessionStorage.clear());
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const answering = (...answers: (() => Promise<Response>)[]) => {
  const asked = vi.fn(() => (answers.length > 1 ? answers.shift() : answers[0])!());
  vi.stubGlobal("fetch", asked);
  return asked;
};
const up = async () => new Response("start page");
const away = async (): Promise<Response> => {
  throw new TypeError("Failed to fetch");
};

test("code that does not arrive is said as such", async () => {
  await expect(loadCode(() => Promise.reject(new TypeError("Failed to fetch")))).rejects.toBeInstanceOf(CodeMissing);
  await expect(loadCode(() => Promise.resolve("code"))).resolves.toBe("code");
});

test("the page is loaded again when the service answers, not before", async () => {
  vi.useFakeTimers();
  const asked = answering(away, up);
  const reload = vi.fn();
  render(<Reload reload={reload} />);
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toHaveBeenCalledTimes(1);
  expect(reload).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(reload).toHaveBeenCalledTimes(1);
  vi.useRealTimers();
});

test("it is loaded once by itself; then a button remains", async () => {
  answering(up);
  const reload = vi.fn();
  render(<Reload reload={reload} />);
  await waitFor(() => expect(reload).toHaveBeenCalledTimes(1));
  cleanup();

  const asked = answering(up);
  render(<Reload reload={reload} />);
  await userEvent.click(screen.getByRole("button", { name: "Load the page again" }));
  expect(asked).not.toHaveBeenCalled();
  expect(reload).toHaveBeenCalledTimes(2);
});
