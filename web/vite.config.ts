import { defineConfig } from 'vite';

// Few files with fixed names: they become a part of the program (src/studio/embed.cmake).
export default defineConfig({
  base: './',
  build: {
    target: 'es2020',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rollupOptions: {
      output: {
        entryFileNames: 'studio.js',
        assetFileNames: 'studio[extname]',
        inlineDynamicImports: true,
      },
    },
  },
});
