type Child = Node | string;
type Attributes = Readonly<Record<string, string | boolean>>;

/** Creates an element. An attribute that is `true` is set without a value; one that is `false` is omitted. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  return furnish(document.createElement(tag), attributes, children);
}

/** Creates an SVG element. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  return furnish(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function furnish<E extends Element>(made: E, attributes: Attributes, children: readonly Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children);
  return made;
}

/**
 * The element with this id.
 * @throws if the page has no such element of this type: page and script do not match
 */
export function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${type.name} with the id ${id}`);
  return found;
}

/** Sets the text of a live region. The same text is not announced again. */
export function say(region: HTMLElement, text: string): void {
  if (region.textContent !== text) region.textContent = text;
}

/** Shows a problem, or hides its place if there is none. */
export function showProblem(place: HTMLElement, text: string | null): void {
  say(place, text ?? '');
  place.hidden = text === null;
}

/** A list of terms with their descriptions. */
export function facts(entries: readonly (readonly [term: string, description: Child])[]): HTMLElement[] {
  return entries.map(([term, description]) => element('div', {}, element('dt', {}, term), element('dd', {}, description)));
}
