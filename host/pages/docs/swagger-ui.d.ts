/** What this page uses of Swagger UI, which has no types of its own. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  /** An element of React, which nobody but Swagger UI looks into. */
  export interface View {
    readonly type: unknown;
  }
  /** A component with any properties. */
  export type Component = (properties: never) => View;

  export interface System {
    readonly React: { createElement(component: unknown, properties: object | null, ...children: unknown[]): View };
    getComponent(name: string, container?: boolean): unknown;
  }

  export interface Plugin {
    readonly components: Readonly<Record<string, Component>>;
    /** Make a component of the one of this name. */
    readonly wrapComponents: Readonly<Record<string, (original: unknown) => Component>>;
  }

  export interface SentRequest {
    readonly headers: Record<string, string>;
    credentials?: RequestCredentials;
  }

  export default function swaggerUi(options: {
    readonly domNode: HTMLElement;
    readonly spec: object;
    readonly plugins: readonly ((system: System) => Plugin)[];
    readonly layout: string;
    readonly docExpansion: 'list' | 'none';
    readonly filter: boolean;
    readonly syntaxHighlight: false;
    readonly showMutatedRequest: boolean;
    readonly validatorUrl: null;
    readonly requestInterceptor: (request: SentRequest) => SentRequest;
  }): void;
}
