export { goneTopic, ProjectDeletion } from './deletion.ts';
export { isInView } from './in-view.ts';
export {
  lockProject,
  lockProjectIfThere,
  projectExists,
  projectLookup,
  requireProject,
  requireProjectIfThere,
} from './presence.ts';
export { type Project, type ProjectRecord, Projects } from './projects.ts';
export { locateProject, projectRoutes } from './routes.ts';
