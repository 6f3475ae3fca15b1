// @vitest-environment jsdom
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it } from "vitest";
import { SchemaForm } from "./SchemaForm";

const schema = {
  type: "object",
  properties: {
    windows: {
      type: "array",
      description: "Stretches of the week",
      items: {
        type: "object",
        properties: {
          days: { type: "array", uniqueItems: true, items: { type: "string", enum: ["mon", "tue", "wed"] } },
          from: { type: "string" },
        },
      },
    },
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
  const list = screen.getByRole("group", { name: "windows" });
  await user.click(within(list).getByRole("button", { name: "Add to windows" }));
  const first = within(list).getByRole("group", { name: "1" });
  await user.click(within(first).getByRole("checkbox", { name: "wed" }));
  await user.click(within(first).getByRole("checkbox", { name: "mon" }));
  await user.type(within(first).getByLabelText("from"), "08:00");
  expect(screen.getByRole("status").textContent).toBe('{"windows":[{"days":["mon","wed"],"from":"08:00"}]}');
  await user.click(within(first).getByRole("checkbox", { name: "wed" }));
  await user.click(within(first).getByRole("checkbox", { name: "mon" }));
  expect(screen.getByRole("status").textContent).toBe('{"windows":[{"from":"08:00"}]}');
  await user.click(within(list).getByRole("button", { name: "Remove 1" }));
  expect(screen.getByRole("status").textContent).toBe('{"windows":[]}');
});
