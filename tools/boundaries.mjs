/** Dependencies point one way (CONTRIBUTING.md): a project may import what its line names. */
const LAYERS = {
  kernel: [],
  contracts: ['kernel'],
  port: ['kernel', 'contracts', 'port'],
  core: ['kernel', 'contracts', 'core'],
  domain: ['kernel', 'contracts', 'port', 'core'],
  adapter: ['kernel', 'contracts', 'port', 'core', 'domain', 'adapter'],
  testing: ['kernel', 'contracts', 'port', 'core'],
  'service-kit': ['kernel', 'contracts', 'port', 'core'],
  'service-host': ['kernel', 'contracts', 'port', 'core', 'adapter', 'service-kit'],
  app: ['kernel', 'contracts', 'port', 'core', 'domain', 'adapter', 'service-kit', 'service-host'],
  // The edges host all services.
  edge: ['kernel', 'contracts', 'port', 'core', 'domain', 'adapter', 'service-kit', 'service-host', 'app'],
};

export const boundaries = [
  'error',
  {
    enforceBuildableLibDependency: false,
    allow: [],
    // A command loads what it needs when it is called; other files may import the same package as usual.
    checkDynamicDependenciesExceptions: ['.*'],
    depConstraints: Object.entries(LAYERS).map(([type, allowed]) => ({
      sourceTag: `type:${type}`,
      onlyDependOnLibsWithTags: allowed.map((name) => `type:${name}`),
    })),
  },
];

/** Tests try a part together with real adapters, whatever layer it is of. */
export const testBoundaries = [
  'error',
  {
    enforceBuildableLibDependency: false,
    allow: [],
    // A command loads what it needs when it is called; other files may import the same package as usual.
    checkDynamicDependenciesExceptions: ['.*'],
    allowCircularSelfDependency: true,
    depConstraints: [{ sourceTag: '*', onlyDependOnLibsWithTags: ['*'] }],
  },
];
