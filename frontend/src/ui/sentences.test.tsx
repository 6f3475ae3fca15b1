// @vitest-environment jsdom
import { render, screen } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { DecisionSentence } from "./sentences";

describe("a decision's sentence", () => {
  test("has no link where it stands within a control", () => {
    render(
      <details open>
        <summary>
          <DecisionSentence message="bank gave 2 back to auction." domains={["auction", "bank"]} subject="bank" plain />
        </summary>
      </details>,
    );
    expect(screen.queryByRole("link")).toBeNull();
    expect(screen.getByText("auction").tagName).toBe("B");
  });
});
