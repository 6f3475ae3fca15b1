// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { setZone } from "@/ui/preferences";
import { Compare } from "./Compare";

vi.mock("@/ui/rested", () => ({ useRested: () => false }));
afterEach(() => {
  cleanup();
  setZone("utc");
  vi.unstubAllEnvs();
});

const NOON = Date.UTC(2026, 10, 23, 12);

it("has its instant in the page's time zone, also when another one is chosen", () => {
  vi.stubEnv("TZ", "Asia/Tokyo");
  const onCompare = vi.fn();
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Compare
        scope={{ kind: "domain", name: "bank" }}
        range={{ kind: "fixed", from: NOON, to: NOON + 60_000 }}
        compare="2026-11-23T11:00:00Z"
        onCompare={onCompare}
      />
    </QueryClientProvider>,
  );
  const field = () => screen.getByLabelText<HTMLInputElement>("Compare with the range from");
  expect(field().value).toMatch(/^2026-11-23T11:00/);
  act(() => setZone("local"));
  expect(field().value).toMatch(/^2026-11-23T20:00/);
  fireEvent.blur(field());
  expect(onCompare).not.toHaveBeenCalled();
});
