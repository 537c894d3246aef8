import BackgroundProtocol
import Glibc
import StreamPlaylists
import SystemCalls

/// Reads the playlists of packages. They are texts of servers, so they are parsed in the sandbox of the engine and not
/// in the ledger, which receives only addresses, times and names made from numbers.
enum PackagePlanner {
    /// The maximum size of a playlist, in bytes.
    private static let playlistLimit = PlaylistLimits().bytes

    /// Carries out an order: writes the playlist of the copy and sends the resources, and then the end.
    ///
    /// - Parameter descriptors: The file for the playlist of the copy, and the file with the playlist of the server.
    static func perform(_ order: PlanOrder, _ descriptors: [SharedDescriptor], _ output: EngineOutput) {
        do throws(EngineFailure) {
            guard descriptors.count == 2 else { throw EngineFailure(.engine, "the order has not two descriptors") }
            let plan = try plan(order, try content(of: descriptors[1]))
            let length = try write(plan.text, to: descriptors[0])
            for start in stride(from: 0, to: plan.resources.count, by: PlannedResource.messageLimit) {
                try send(plan.resources[start...].prefix(PlannedResource.messageLimit), of: order.transfer, output)
            }
            output.send(.finished(transfer: order.transfer, length: length, status: 200))
        } catch { output.send(.failed(transfer: order.transfer, error)) }
    }

    /// Returns the plan for a playlist.
    private static func plan(_ order: PlanOrder, _ bytes: [UInt8]) throws(EngineFailure) -> PackagePlan {
        do throws(PackageError) {
            guard let prefix = order.prefix else {
                return try PackagePlan(
                    streamAt: order.address, bytes, PackagePreferences(order.preferences))
            }
            return try PackagePlan(segmentsAt: order.address, bytes, prefix: prefix, isMain: order.isMain)
        } catch { throw EngineFailure(.unsupportedStream, error.description) }
    }

    /// Sends resources in messages that do not exceed the limit of their size.
    private static func send(
        _ resources: ArraySlice<PackagePlan.Resource>, of transfer: UInt64, _ output: EngineOutput
    ) throws(EngineFailure) {
        var batch: [PlannedResource] = [], bytes = 0
        for resource in resources {
            let size = resource.address.utf8.count + PlanOrder.nameBytes + 64
            if bytes + size > EngineLimits.messageBytes {
                try send(batch, of: transfer, output)
                (batch, bytes) = ([], 0)
            }
            batch.append(
                PlannedResource(
                    isPlaylist: resource.kind == .playlist, address: resource.address, name: resource.name,
                    start: resource.start, duration: resource.duration))
            bytes += size
        }
        try send(batch, of: transfer, output)
    }

    /// Sends the resources of one message.
    private static func send(
        _ batch: [PlannedResource], of transfer: UInt64, _ output: EngineOutput
    ) throws(EngineFailure) {
        let event = EngineEvent.planned(transfer: transfer, batch)
        try EngineOutput.check(event)
        output.send(event)
    }

    /// Reads a playlist.
    private static func content(of file: SharedDescriptor) throws(EngineFailure) -> [UInt8] {
        do throws(SystemCallError) {
            guard let size = try file.fileDescriptor.regularFileSize(), size <= playlistLimit else {
                throw SystemCallError(call: "the playlist is larger than \(playlistLimit) bytes", number: EFBIG)
            }
            return try file.fileDescriptor.bytes(at: 0, count: size)
        } catch { throw EngineFailure(.disk, "the playlist cannot be read: \(error)", code: error.number) }
    }

    /// Writes the playlist of the copy to the disk and returns its length.
    private static func write(_ text: String, to file: SharedDescriptor) throws(EngineFailure) -> Int64 {
        do throws(SystemCallError) {
            var part = try PartFile(file, length: 0)
            let bytes = Array(text.utf8)
            var failure: SystemCallError?
            bytes.withUnsafeBytes { buffer in
                do throws(SystemCallError) { try part.append(buffer) } catch { failure = error }
            }
            if let failure { throw failure }
            if let failure = FileSynchronizer.synchronize(file) { throw failure }
            return part.length
        } catch { throw EngineFailure(.disk, "the playlist cannot be written: \(error)", code: error.number) }
    }
}

extension PackagePreferences {
    /// Converts the preferences of an order.
    fileprivate init(_ preferences: StreamPreferences) {
        self.init(
            maximumHeight: Int(preferences.maximumHeight), maximumBitRate: Int(clamping: preferences.maximumBitRate),
            audioLanguages: preferences.audioLanguages, subtitleLanguages: preferences.subtitleLanguages)
    }
}
