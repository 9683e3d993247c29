// The tools of a domain: a list by topic with a find box, and one tool with its form; used by Play and by a domain.

import {html, nothing, render} from "./lit-html.js";
import {drawSearch} from "./page.js";

/** The list, or the chosen tool with its form; `see` is {tool, find, busy}, `act` is {choose, find, send}. */
export function drawTools(key, tools, see, act) {
  const chosen = tools.find((each) => each.name === see.tool);
  return html`
    ${drawSearch("Find a tool", see.find, act.find, `Find one of ${tools.length} tools`)}
    ${see.find || !chosen ? drawToolList(tools, see, act.choose) : drawOneTool(key, chosen, see, act)}`;
}

/** The tools whose name or description has a text, by topic. */
export function drawToolList(tools, see, choose) {
  const found = tools.filter((tool) => hasText(tool, see.find));
  const topics = [...new Set(found.map((tool) => tool.topic))];
  if (!found.length) return html`<p class="muted">No tool has “${see.find}” in its name or description.</p>`;
  return html`<div class="tool-list">${topics.map((topic) => html`
    <h4>${topic}</h4>
    <ul class="bare">${found.filter((tool) => tool.topic === topic).map((tool) => html`
      <li><button type="button" class="tool-name" aria-pressed=${tool.name === see.tool ? "true" : "false"}
        @click=${() => choose(tool.name)}>${tool.name}${drawWrites(tool)}</button></li>`)}</ul>`)}</div>`;
}

function drawOneTool(key, tool, see, act) {
  return html`
    <button type="button" class="back" @click=${() => act.choose(null)}>‹ All tools</button>
    <h3 class="tool-title">${tool.name}${drawWrites(tool)}</h3>
    ${drawDescription(tool.description)}
    ${drawForm(`${key} ${tool.name}`, tool, {
      busy: see.busy,
      send: (given) => act.send(tool.name, given),
    })}`;
}

/** The first sentence of a description, and the rest of it to open. */
export function drawDescription(text) {
  const [first, ...rest] = text.split("\n\n");
  return html`<p>${first}</p>${rest.length ? html`
    <details><summary>More</summary>${rest.map((part) => html`<p class="lines">${part}</p>`)}</details>` : nothing}`;
}

function drawWrites(tool) {
  return tool.reads_only ? nothing : html` <small class="muted" title="It can change rows">writes</small>`;
}

/** Whether a tool's name or description has all words of a text. */
export function hasText(tool, text) {
  const words = text.toLowerCase().replaceAll("_", " ").split(" ");
  const known = `${tool.name} ${tool.description}`.toLowerCase().replaceAll("_", " ");
  return words.every((word) => known.includes(word));
}

// a form for the arguments of a tool, made from its JSON Schema; each tool's form keeps what was typed into it

const forms = new Map(); // the form element of each tool, by the key it was drawn with
let lastField = null; // the control that had the focus last

/** The form element of a tool: the same one each time for a key, so that a redraw loses nothing that was typed. */
export function drawForm(key, tool, {busy, send}) {
  if (!forms.has(key)) forms.set(key, newForm());
  const form = forms.get(key);
  form.onsubmit = (event) => {
    event.preventDefault();
    submit(form, tool, send);
  };
  render(fieldsOf(tool, form, busy), form);
  return form;
}

/** Put a value into the field of a shown form that had the focus last; the name of the field, or null. */
export function useValue(value) {
  if (!lastField?.isConnected || lastField.tagName === "SELECT") return null;
  const isList = lastField.dataset.list !== undefined;
  const before = isList && lastField.value.trim() ? `${lastField.value.trimEnd()}\n` : "";
  lastField.value = before + String(value ?? "");
  return lastField.name.slice(PREFIX.length);
}

const PREFIX = "argument "; // of a control's name: an argument may be called "length" or "submit"
const JSON_FIELD = "all arguments";

function newForm() {
  const form = document.createElement("form");
  form.className = "tool-form";
  form.addEventListener("focusin", (event) => {
    if (event.target.name?.startsWith(PREFIX)) lastField = event.target;
  });
  form.addEventListener("keydown", (event) => {
    const isLine = event.target.name?.startsWith(PREFIX) && event.target.dataset.list === undefined;
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing && isLine) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  return form;
}

function fieldsOf(tool, form, busy) {
  const {properties = {}, required = []} = tool.input_schema;
  const names = [...required, ...Object.keys(properties).filter((name) => !required.includes(name))];
  return html`
    <div class="fields">${names.map((name) => drawField(name, properties[name], required.includes(name)))}
      ${names.length ? nothing : html`<p class="muted">It takes no arguments.</p>`}</div>
    <label class="field json-field"><span>Arguments as JSON; anything goes, so a rejection can be seen</span>
      <textarea name=${JSON_FIELD} rows="8" spellcheck="false"></textarea></label>
    <div class="form-end">
      <button type="submit" class="primary" ?disabled=${busy}>Call</button>
      <label class="check"><input type="checkbox" @change=${(event) => showJson(form, tool, event.target.checked)}>
        as JSON</label>
    </div>
    <output class="bad" role="alert"></output>`;
}

function drawField(name, schema, isRequired) {
  const inner = notNull(schema);
  const title = html`${name.replaceAll("_", " ")}${isRequired ? nothing : html` <small class="muted">optional</small>`}`;
  const about = schema.description ? html`<small class="muted">${schema.description}</small>` : nothing;
  if (inner.type === "array" && inner.items?.enum) {
    return html`<fieldset class="field"><legend>${title}</legend>${about}
      ${inner.items.enum.map((value) => html`<label class="check">
        <input type="checkbox" name=${PREFIX + name} value=${value}> ${value}</label>`)}</fieldset>`;
  }
  return html`<label class="field"><span>${title}</span>
    ${drawControl(PREFIX + name, schema, inner, isRequired)}${about}</label>`;
}

function drawControl(name, schema, inner, isRequired) {
  const choices = inner.enum ?? (inner.type === "boolean" ? [true, false] : null);
  if (choices) {
    return html`<select name=${name} ?required=${isRequired}>
      <option value="">${isRequired ? "choose" : leftOut(schema) || "–"}</option>
      ${choices.map((value) => html`<option value=${String(value)}>${String(value)}</option>`)}</select>`;
  }
  if (inner.type === "array") {
    return html`<textarea name=${name} data-list rows="2" placeholder="one on each line" spellcheck="false"
      ?required=${isRequired && inner.minItems > 0}></textarea>`;
  }
  const hint = [rangeOf(inner), leftOut(schema)].filter(Boolean).join(", ");
  if (isNumber(inner)) {
    return html`<input name=${name} type="number" step=${inner.type === "integer" ? 1 : "any"} placeholder=${hint}
      min=${inner.minimum ?? nothing} max=${inner.maximum ?? nothing} ?required=${isRequired}>`;
  }
  if (inner.pattern) {
    return html`<input name=${name} type="text" autocomplete="off" spellcheck="false" pattern=${inner.pattern}
      placeholder=${clockForm(inner.pattern) || hint} ?required=${isRequired}>`;
  }
  return html`<textarea name=${name} rows="1" autocomplete="off" spellcheck="false" placeholder=${hint}
    maxlength=${inner.maxLength ?? nothing} ?required=${isRequired}></textarea>`;
}

function notNull(schema) {
  return schema.anyOf?.find((each) => each.type !== "null") ?? schema;
}

function isNumber(schema) {
  return schema.type === "integer" || schema.type === "number";
}

function leftOut(schema) {
  return schema.default === undefined || schema.default === null ? "" : `left out: ${schema.default}`;
}

function rangeOf({minimum, maximum}) {
  if (minimum === undefined && maximum === undefined) return "";
  if (maximum === undefined) return `${minimum} or more`;
  return minimum === undefined ? `${maximum} or less` : `${minimum} to ${maximum}`;
}

function clockForm(pattern) {
  const day = pattern.startsWith("^\\d{4}-\\d{2}-\\d{2}") ? "YYYY-MM-DD" : "";
  return day && pattern.includes("\\d{2}:") ? `${day} hh:mm:ss` : day;
}

function submit(form, tool, send) {
  const said = form.querySelector("output");
  try {
    const given = form.noValidate ? readJson(form.elements[JSON_FIELD].value) : readFields(form, tool);
    said.textContent = "";
    send(given);
  } catch (error) {
    said.textContent = error.message;
  }
}

function readJson(text) {
  let given;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new Error(`This is not JSON: ${error.message}.`);
  }
  if (given === null || typeof given !== "object" || Array.isArray(given)) {
    throw new Error("Arguments are a JSON object, such as {\"name\": \"value\"}.");
  }
  return given;
}

function readFields(form, tool) {
  const {properties = {}, required = []} = tool.input_schema;
  const given = {};
  for (const [name, schema] of Object.entries(properties)) {
    const value = readField(form, PREFIX + name, notNull(schema));
    if (required.includes(name) || (value !== "" && value.length !== 0)) given[name] = value;
  }
  return given;
}

function readField(form, name, schema) {
  if (schema.type === "array" && schema.items?.enum) {
    const boxes = [...form.querySelectorAll(":checked")];
    return boxes.filter((box) => box.name === name).map((box) => box.value);
  }
  const {value} = form.elements[name];
  if (schema.type === "array") return value.split("\n").filter((line) => line.trim());
  if (value === "") return value;
  if (schema.type === "boolean") return value === "true";
  return isNumber(schema) ? Number(value) : value;
}

/** Switch between the fields and one text of JSON, which starts as what the fields hold; what was typed stays. */
function showJson(form, tool, isJson) {
  form.noValidate = isJson;
  form.classList.toggle("as-json", isJson);
  const text = form.elements[JSON_FIELD];
  if (isJson && text.value === text.defaultValue) { // nobody wrote in it
    text.defaultValue = text.value = JSON.stringify(readFields(form, tool), null, 2);
  }
  form.querySelector("output").textContent = "";
}
