import Foundation
import Testing

/// The pages that describe the architecture say what the code says.
@Suite struct ArchitecturePageTests {
    @Test func theModuleTableMatchesThePackage() throws {
        let manifest = ModuleTable(manifest: try ProjectPages.text("Package.swift"))
        let page = ModuleTable(page: try modules())
        #expect(manifest.dependencies.count > 20)
        #expect(Set(page.order) == Set(manifest.order))
        for module in manifest.order {
            #expect(page.dependencies[module] == manifest.dependencies[module], "\(module)")
        }
    }

    @Test func aModuleDependsOnlyOnModulesAboveIt() throws {
        let page = ModuleTable(page: try modules())
        for (index, module) in page.order.enumerated() {
            let below = Set(page.order[index...])
            let wrong = page.dependencies[module, default: []].intersection(below)
            #expect(wrong.isEmpty, "\(module) depends on \(wrong)")
        }
    }

    @Test func everyModuleOfTheTableHasAFolder() throws {
        for module in ModuleTable(page: try modules()).order {
            let folder = ProjectPages.root.appendingPathComponent("Sources/\(module)").path
            #expect(FileManager.default.fileExists(atPath: folder), "\(module)")
        }
    }

    @Test func everyTypeThatAPageNamesExists() throws {
        let other: Set = ["ArgumentParser", "DequeModule", "DISPLAY", "Logging", "Package", "PrepareForSleep"]
        let known = try ProjectPages.declaredTypes().union(ModuleTable(page: try modules()).order).union(other)
        for path in try ProjectPages.architecturePages() {
            let names = try ProjectPages.text(path).matches(of: /`([A-Z][a-z]?[A-Za-z0-9]+)[`.+(]/).map { String($0.1) }
            let unknown = Set(names).subtracting(known)
            #expect(unknown.isEmpty, "\(path) names \(unknown.sorted())")
        }
    }

    @Test func everyLinkOfAPageLeadsToAFile() throws {
        for path in try ProjectPages.architecturePages() + ["README.md"] {
            let folder = ProjectPages.root.appendingPathComponent(path).deletingLastPathComponent()
            for match in try ProjectPages.text(path).matches(of: /\]\(([^)#]+)/) where !match.1.contains("://") {
                let file = folder.appendingPathComponent(String(match.1)).path
                #expect(FileManager.default.fileExists(atPath: file), "\(path) links to \(match.1)")
            }
        }
    }

    private func modules() throws -> String {
        let page = try ProjectPages.text("ARCHITECTURE.md")
        let start = try #require(page.firstRange(of: "## Modules")).upperBound
        let end = try #require(page[start...].firstRange(of: "\n## ")).lowerBound
        return String(page[start..<end])
    }
}
