// @vitest-environment jsdom
import { cleanup, render } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { Empty } from "./Empty";

afterEach(cleanup);

it.each([
  ["waits for the first answer", { isPending: true, isSuccess: false }, "Loading…"],
  ["says that there is nothing when the service has said so", { isPending: false, isSuccess: true }, "Nobody waits."],
  ["says nothing after a request that failed", { isPending: false, isSuccess: false }, ""],
] as const)("%s", (_, answer, said) => {
  expect(render(<Empty of={answer}>Nobody waits.</Empty>).container.textContent).toBe(said);
});
