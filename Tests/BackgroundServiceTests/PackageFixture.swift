import BackgroundProtocol
import Glibc
import LedgerStore
import SystemCalls
import TestSupport

@testable import BackgroundService

extension ServiceFixture {
    /// The address of the stream of the tests.
    static let stream = "https://example.org/film/master.m3u8?token=1"

    /// Starts the download of a stream; the engine has the order for its playlist then.
    func startPackage(_ change: (inout TaskRequest) -> Void = { _ in }) throws -> Transfer {
        try start("film/master.m3u8") { request in
            request.stream = StreamPreferences()
            change(&request)
        }
    }

    /// Receives the whole content of the current resource, and orders the next one.
    func receive(_ text: String = "film", address: String = "https://example.org/film/master.m3u8") {
        var response = EngineResponse(status: 200, use: .whole, address: address)
        response.total = Int64(text.utf8.count)
        engine.onEvent(.response(transfer: run, response))
        engine.write(text)
        engine.onEvent(.finished(transfer: run, length: Int64(text.utf8.count), status: 200))
        _ = transfers.schedule()
    }

    /// Carries out the last plan.
    func plan(_ resources: [PlannedResource], _ text: String = "playlist") {
        let run = plans.last?.transfer ?? 0
        engine.write(text)
        engine.onEvent(.planned(transfer: run, resources))
        engine.onEvent(.finished(transfer: run, length: Int64(text.utf8.count), status: 200))
        _ = transfers.schedule()
    }

    /// The plans among the commands of the engine.
    var plans: [PlanOrder] {
        engine.commands.compactMap { command in if case .plan(let order) = command { order } else { nil } }
    }

    /// Two segments of a stream without variants.
    static let segments = [
        PlannedResource(
            isPlaylist: false, address: "https://example.org/1", name: "media-0.ts", duration: 4_000_000_000),
        PlannedResource(
            isPlaylist: false, address: "https://cdn.example/2", name: "media-1.ts", start: 4_000_000_000,
            duration: 2_000_000_000),
    ]

    /// The names in a folder of the scratch directory.
    func names(_ folder: String = "film") -> [String] {
        let names = FilePath(scratch.path + "/" + folder)?.entryNames(limit: 100) ?? []
        return names.map { String(decoding: $0, as: UTF8.self) }.sorted()
    }
}
