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
            let modulesFromHere = Set(page.moduleNames[index...])
            let wrongDependencies = page.dependencies[module, default: []].intersection(modulesFromHere)
            #expect(wrongDependencies.isEmpty, "\(module) depends on \(wrongDependencies)")
        }
    }

    @Test func everyModuleOfTheTableHasASourceFolder() throws {
        for module in ModuleTable(page: try modulesSection()).moduleNames {
            let folder = ProjectPages.root.appendingPathComponent("Sources/\(module)").path
            #expect(FileManager.default.fileExists(atPath: folder), "\(module)")
        }
    }

    @Test func everyTypeNamedOnAnArchitecturePageExists() throws {
        let externalNames: Set = [
            "ArgumentParser", "DequeModule", "DispatchQueue", "DISPLAY", "FoundationEssentials", "Logging",
            "NotificationCenter", "Observable", "OperationQueue", "PATH", "Package", "PrepareForSleep", "Sources",
            "URLSession",
            // The next names are variables of the Makefile.
            "BINDIR", "DATADIR", "DESTDIR", "MANDIR", "PREFIX", "RELEASE",
        ]
        let moduleNames = ModuleTable(page: try modulesSection()).moduleNames
        let knownNames = try ProjectPages.declaredTypes().union(moduleNames).union(externalNames)
        for path in try ProjectPages.architecturePages() {
            let text = try ProjectPages.text(path)
            let names = text.matches(of: /`([A-Z][a-z]?[A-Za-z0-9]+)[`.+(]/).map { String($0.1) }
            let nestedTypeNames = text.matches(of: /`[A-Z][A-Za-z0-9]+\.([A-Z][A-Za-z0-9]+)/).map { String($0.1) }
            let unknownNames = Set(names + nestedTypeNames).subtracting(knownNames)
            #expect(unknownNames.isEmpty, "\(path) names \(unknownNames.sorted())")
        }
    }

    @Test func everyRelativeLinkOfAPageLeadsToAFile() throws {
        for path in try ProjectPages.architecturePages() + ["README.md"] {
            let folder = ProjectPages.root.appendingPathComponent(path).deletingLastPathComponent()
            for match in try ProjectPages.text(path).matches(of: /\]\(([^)#]+)/) where !match.1.contains("://") {
                let linkedPath = folder.appendingPathComponent(String(match.1)).path
                #expect(FileManager.default.fileExists(atPath: linkedPath), "\(path) links to \(match.1)")
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
