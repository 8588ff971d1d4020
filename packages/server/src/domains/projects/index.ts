export { lockProject, type Project, type ProjectRecord, Projects, requireProject } from './projects.ts';
export { locateProject, projectRoutes } from './routes.ts';
