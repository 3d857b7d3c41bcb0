import { defineConfig } from 'vite';

// The page; what it fetches besides (core, packages) is put beside it by ./dev web.
export default defineConfig({
  root: 'page',
  base: './',
  build: { outDir: process.env.HALFBYTE_PAGE_OUT ?? '../../build/web/page', emptyOutDir: true, target: 'es2023', modulePreload: false },
  clearScreen: false,
});
