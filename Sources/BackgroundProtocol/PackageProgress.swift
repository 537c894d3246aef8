import WireFormat

/// The progress of a package: a stream that is downloaded.
package struct PackageProgress: Sendable, Equatable {
    /// The duration of the segments that have arrived, and of the whole stream, in nanoseconds.
    package var loaded: Int64, total: Int64
    /// The number of resources that have arrived, and of all resources.
    package var finishedParts: UInt32, parts: UInt32

    package init(loaded: Int64, total: Int64, finishedParts: UInt32, parts: UInt32) {
        (self.loaded, self.total, self.finishedParts, self.parts) = (loaded, total, finishedParts, parts)
    }

    /// Appends the progress to a message.
    func write(to writer: inout MessageWriter) {
        writer.write(loaded)
        writer.write(total)
        writer.write(finishedParts)
        writer.write(parts)
    }

    /// Reads a progress; rejects negative times.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        self.init(
            loaded: try reader.readLength(), total: try reader.readLength(), finishedParts: try reader.read(),
            parts: try reader.read())
    }
}
