// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import type { PoolRow } from "@/stream/schemas";
import { FilterBar } from "./FilterBar";
import type { Grouping } from "./groups";

afterEach(cleanup);

function show(labels: string[], group?: Grouping) {
  const pools = labels.map((name) => ({
    domain: name,
    database: "main",
    health: { severity: "fine" },
    labels: { [name]: "x" },
  }));
  const onChange = vi.fn();
  render(<FilterBar pools={pools as unknown as PoolRow[]} q={undefined} group={group} onChange={onChange} />);
  return onChange;
}

const offered = (role: "radio" | "option") =>
  screen.getAllByRole(role).map((each) => each.textContent || each.closest("label")?.textContent);

it("offers a few labels beside the other groups", async () => {
  const onChange = show(["zone", "team"]);
  expect(offered("radio")).toEqual(["no groups", "database", "tier", "team", "zone"]);
  await userEvent.setup().click(screen.getByLabelText("team"));
  expect(onChange).toHaveBeenCalledWith({ group: "label:team" });
});

it("offers many labels, or long ones, in a list", async () => {
  const onChange = show(["d", "c", "b", "a"], "label:b");
  expect(offered("option")).toEqual(["no groups", "database", "tier", "a", "b", "c", "d"]);
  const list = screen.getByLabelText<HTMLSelectElement>("Groups");
  expect(list.value).toBe("label:b");
  await userEvent.setup().selectOptions(list, "no groups");
  expect(onChange).toHaveBeenCalledWith({ group: undefined });
  cleanup();
  show(["the-environment-of-the-domain"]);
  expect(offered("option")).toContain("the-environment-of-the-domain");
});

it("counts one domain as one", () => {
  show(["team"]);
  expect(screen.getByRole("status").textContent).toBe("1 domain");
  cleanup();
  show(["team", "zone"]);
  expect(screen.getByRole("status").textContent).toBe("2 domains");
});

it("shows also a chosen label that no domain has", () => {
  show(["team"], "label:gone");
  expect(screen.getByLabelText<HTMLInputElement>("gone").checked).toBe(true);
});
