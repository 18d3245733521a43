// Prints the edges between the files of a JavaScript or TypeScript repository as the resolver of the typescript package
// sees them, "FROM TO" on a line, tests as importers left out:
//
//	node scripts/dev/structure/script.mjs REPOSITORY node_modules/typescript > edges
import { createRequire } from 'node:module'
import fs from 'node:fs'
import path from 'node:path'

const root = fs.realpathSync(process.argv[2])
const ts = createRequire(import.meta.url)(path.resolve(process.argv[3]))
const conditions = process.argv.slice(4)
const source = /\.([cm]?[jt]s|[jt]sx)$/
const foreign = (name) => /(^|\/)(node_modules|\.git|vendor|testdata)\//.test(name) || /^((?!src\/)[^/]+\/)*(dist|build)\//.test(name)
const test = /(^|\/)(__tests__|__mocks__|tests?)\/|\.(test|spec)\.[a-z]+$/

function walk(dir, files = []) {
	for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
		const name = path.join(dir, entry.name)
		if (foreign(path.relative(root, name) + '/')) continue
		if (entry.isDirectory()) walk(name, files)
		else if (entry.isFile() && source.test(name) && !name.endsWith('.min.js')) files.push(name)
	}
	return files
}

const settings = new Map()
function optionsOf(file) {
	const config = ts.findConfigFile(path.dirname(file), ts.sys.fileExists)
	const inside = config && config.startsWith(root + path.sep) ? config : ''
	if (!settings.has(inside)) {
		let options = {}
		if (inside) options = ts.parseJsonConfigFileContent(ts.readConfigFile(inside, ts.sys.readFile).config, ts.sys, path.dirname(inside)).options
		settings.set(inside, {
			...options, allowJs: true, resolveJsonModule: false, customConditions: conditions.length ? conditions : undefined,
			moduleResolution: ts.ModuleResolutionKind.Bundler, module: ts.ModuleKind.ESNext,
		})
	}
	return settings.get(inside)
}

for (const file of walk(root)) {
	const name = path.relative(root, file)
	if (test.test(name)) continue
	for (const imported of ts.preProcessFile(fs.readFileSync(file, 'utf8'), true, true).importedFiles) {
		const found = ts.resolveModuleName(imported.fileName, file, optionsOf(file), ts.sys).resolvedModule
		if (!found) continue
		const target = path.relative(root, fs.realpathSync(found.resolvedFileName))
		if (!target.startsWith('..') && !foreign(target) && source.test(target)) console.log(name, target)
	}
}
