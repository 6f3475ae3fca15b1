// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, within } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { MemoryTable } from "./MemoryTable";

afterEach(cleanup);

it("shows who holds how much, and marks what was refused", async () => {
  vi.stubGlobal("fetch", () =>
    Promise.resolve(
      Response.json({
        mostBytes: 134_217_728,
        reservedBytes: 5_000,
        holders: [
          { holder: "wire", reservedBytes: 5_000, highestBytes: 90_000, mostBytes: 100_663_296, refused: 0 },
          { holder: "http", reservedBytes: 0, highestBytes: 0, mostBytes: 33_554_432, refused: 7 },
        ],
        counts: [
          { of: "databases", now: 1, most: 500 },
          { of: "wire-clients", now: 12, most: 20_000 },
        ],
      }),
    ),
  );
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryTable />
    </QueryClientProvider>,
  );
  const requests = (await screen.findByText(/^Requests/)).closest("tr") as HTMLElement;
  expect(within(requests).getByText("7").tagName).toBe("B");
  const wire = screen.getByText(/^Wire clients/).closest("tr") as HTMLElement;
  expect(within(wire).getByText("0").tagName).toBe("TD");
  screen.getByText(
    /^The limits overlap: .* all of them together have at most 134 MB\. Beside that there are 1 of 500 databases, 12 of 20,?000 wire clients\.$/,
  );
});
