// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, test } from "vitest";
import { ManagedChip } from "./parts";

afterEach(cleanup);

describe("the mark of a managed set", () => {
  test("says by what it is managed, and names the source to whoever asks", () => {
    render(<ManagedChip managedBy="files: headgate.yaml" />);
    expect(screen.getByRole("button", { name: "managed by files" }).getAttribute("aria-description")).toBe(
      "The policy set is managed by files: headgate.yaml, and read-only here",
    );
  });

  test("is not there where the set is edited by hand", () => {
    const { container } = render(<ManagedChip managedBy={null} />);
    expect(container.childElementCount).toBe(0);
  });
});
