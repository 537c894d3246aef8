import BackgroundProtocol
import Testing

@testable import SwiftPlayCLI

@Suite struct TransferClientTests {
    private static let address = "https://example.org/film.mkv?token=1"

    private func transfer(_ change: (inout TaskSnapshot) -> Void = { _ in }) -> TaskSnapshot {
        var transfer = TaskSnapshot(
            id: 7, session: 1, number: 1, program: "swiftplay", identifier: "download", address: Self.address,
            description: "", activity: TaskSnapshot.Activity(.waiting, ""),
            file: TaskSnapshot.File(directory: "/films", name: "film.mkv", isKept: true), bytes: TaskSnapshot.Bytes())
        change(&transfer)
        return transfer
    }

    private func found(
        _ transfer: TaskSnapshot, to directory: String = "/films", named name: String? = nil, isUnmetered: Bool = false
    ) -> Bool {
        TransferClient.unfinishedDownload(
            of: Self.address, to: directory, named: name, isUnmetered: isUnmetered, in: [transfer]) != nil
    }

    @Test func aRepeatedCommandFindsItsDownload() {
        #expect(found(transfer()) && found(transfer(), named: "film.mkv"))
        #expect(found(transfer { $0.identifier = "download on unmetered networks" }))
    }

    @Test func aDownloadThatMayUseMeteredNetworksIsNotContinuedAsAnUnmeteredOne() {
        #expect(!found(transfer(), isUnmetered: true))
        #expect(found(transfer { $0.identifier = "download on unmetered networks" }, isUnmetered: true))
    }

    @Test func anotherFolderOrNameIsAnotherDownload() {
        #expect(!found(transfer(), to: "/other") && !found(transfer(), named: "other.mkv"))
        #expect(!found(transfer { $0.address = "https://example.org/film.mkv?token=2" }))
    }

    @Test(arguments: [TaskSnapshot.Phase.finished, .failed, .cancelled])
    func anEndedDownloadIsNotContinued(phase: TaskSnapshot.Phase) {
        #expect(!found(transfer { $0.activity.phase = phase }))
    }

    @Test func transfersOfOtherProgramsAndStreamsAreNotContinued() {
        #expect(!found(transfer { $0.program = "org.example.podcasts" }))
        #expect(!found(transfer { $0.identifier = "episodes" }))
        #expect(!found(transfer { $0.package = PackageProgress(loaded: 0, total: 1, finishedParts: 0, parts: 1) }))
    }
}
