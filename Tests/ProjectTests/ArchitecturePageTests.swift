import Foundation
import Testing

/// Tests that the pages about the architecture match the code.
@Suite struct ArchitecturePageTests {
    @Test func moduleTableMatchesThePackageManifest() throws {
        let manifest = ModuleTable(manifest: try ProjectPages.text("Package.swift"))
        let page = ModuleTable(page: try modulesSection())
        #expect(manifest.dependencies.count > 20)
        #expect(Set(page.moduleNames) == Set(manifest.moduleNames))
        for module in manifest.moduleNames {
            #expect(page.dependencies[module] == manifest.dependencies[module], "\(module)")
        }
    }

    @Test func aModuleDependsOnlyOnModulesAboveItInTheTable() throws {
        let page = ModuleTable(page: try modulesSection())
        for (index, module) in page.moduleNames.enumerated() {
            let below = Set(page.moduleNames[index...])
            let wrong = page.dependencies[module, default: []].intersection(below)
            #expect(wrong.isEmpty, "\(module) depends on \(wrong)")
        }
    }

    @Test func everyModuleOfTheTableHasASourceFolder() throws {
        for module in ModuleTable(page: try modulesSection()).moduleNames {
            let folder = ProjectPages.root.appendingPathComponent("Sources/\(module)").path
            #expect(FileManager.default.fileExists(atPath: folder), "\(module)")
        }
    }

    @Test func everyTypeNamedOnAnArchitecturePageExists() throws {
        let other: Set = [
            "ArgumentParser", "DequeModule", "DISPLAY", "Logging", "Observable", "PATH", "Package", "PrepareForSleep",
        ]
        let known = try ProjectPages.declaredTypes().union(ModuleTable(page: try modulesSection()).moduleNames).union(
            other)
        for path in try ProjectPages.architecturePages() {
            let text = try ProjectPages.text(path)
            let names = text.matches(of: /`([A-Z][a-z]?[A-Za-z0-9]+)[`.+(]/).map { String($0.1) }
            let nested = text.matches(of: /`[A-Z][A-Za-z0-9]+\.([A-Z][A-Za-z0-9]+)/).map { String($0.1) }
            let unknown = Set(names + nested).subtracting(known)
            #expect(unknown.isEmpty, "\(path) names \(unknown.sorted())")
        }
    }

    @Test func everyRelativeLinkOfAPageLeadsToAFile() throws {
        for path in try ProjectPages.architecturePages() + ["README.md"] {
            let folder = ProjectPages.root.appendingPathComponent(path).deletingLastPathComponent()
            for match in try ProjectPages.text(path).matches(of: /\]\(([^)#]+)/) where !match.1.contains("://") {
                let file = folder.appendingPathComponent(String(match.1)).path
                #expect(FileManager.default.fileExists(atPath: file), "\(path) links to \(match.1)")
            }
        }
    }

    /// Returns the text of the section "Modules" of ARCHITECTURE.md.
    private func modulesSection() throws -> String {
        let page = try ProjectPages.text("ARCHITECTURE.md")
        let start = try #require(page.firstRange(of: "## Modules")).upperBound
        let end = try #require(page[start...].firstRange(of: "\n## ")).lowerBound
        return String(page[start..<end])
    }
}
