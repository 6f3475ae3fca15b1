// @vitest-environment jsdom
import { cleanup, render } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { setTitlePrefix, usePageTitle } from "./title";

afterEach(() => {
  cleanup();
  setTitlePrefix("");
});

function Page({ name }: { name: string }) {
  usePageTitle(name);
  return null;
}

test("the tab names the page, and what needs attention before it", () => {
  const { rerender } = render(<Page name="auction" />);
  expect(document.title).toBe("auction · Headgate");
  setTitlePrefix("(2) ");
  expect(document.title).toBe("(2) auction · Headgate");
  rerender(<Page name="Decisions" />);
  expect(document.title).toBe("(2) Decisions · Headgate");
  setTitlePrefix("");
  expect(document.title).toBe("Decisions · Headgate");
});
