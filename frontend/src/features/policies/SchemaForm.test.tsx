// @vitest-environment jsdom
import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, it } from "vitest";
import { SchemaForm } from "./SchemaForm";

afterEach(cleanup);

const schema = {
  type: "object",
  properties: {
    windows: {
      type: "array",
      title: "Windows",
      description: "Stretches of the week",
      items: {
        type: "object",
        properties: {
          days: { type: "array", uniqueItems: true, items: { type: "string", enum: ["mon", "tue", "wed"] } },
          from: { type: "string", title: "From" },
        },
      },
    },
    otherwise: {
      type: "object",
      title: "Otherwise",
      properties: { max: { type: "integer", title: "Maximum connections", description: "At most." } },
    },
    burst: { type: "integer" },
  },
};

function Form() {
  const [value, setValue] = useState<Record<string, unknown>>({});
  return (
    <>
      <SchemaForm id="f" schema={schema} value={value} base={undefined} violations={[]} onChange={setValue} />
      <output>{JSON.stringify(value)}</output>
    </>
  );
}

it("draws a list of groups: adds, fills, removes", async () => {
  const user = userEvent.setup();
  render(<Form />);
  const list = screen.getByRole("group", { name: "Windows" });
  await user.click(within(list).getByRole("button", { name: "Add to Windows" }));
  const first = within(list).getByRole("group", { name: "1" });
  await user.click(within(first).getByRole("checkbox", { name: "wed" }));
  await user.click(within(first).getByRole("checkbox", { name: "mon" }));
  await user.type(within(first).getByLabelText("From"), "08:00");
  expect(screen.getByRole("status").textContent).toBe('{"windows":[{"days":["mon","wed"],"from":"08:00"}]}');
  await user.click(within(first).getByRole("checkbox", { name: "wed" }));
  await user.click(within(first).getByRole("checkbox", { name: "mon" }));
  expect(screen.getByRole("status").textContent).toBe('{"windows":[{"from":"08:00"}]}');
  await user.click(within(list).getByRole("button", { name: "Remove 1" }));
  expect(screen.getByRole("status").textContent).toBe('{"windows":[]}');
});

it("calls a field by its title, with its name in YAML beside it", () => {
  const { container } = render(<Form />);
  const names = () => [...container.querySelectorAll(".key")].map((key) => key.textContent);
  expect(names()).toEqual(["windows", "otherwise", "max"]);
  const otherwise = screen.getByRole("group", { name: "Otherwise" });
  expect(within(otherwise).getByRole("textbox", { name: "Maximum connections" })).toBeTruthy();
  expect(within(otherwise).getByRole("button", { name: "About Maximum connections" })).toBeTruthy();
  expect(screen.getByRole("textbox", { name: "burst" })).toBeTruthy();
});
