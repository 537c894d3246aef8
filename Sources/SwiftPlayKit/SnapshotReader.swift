import CCairo
import CompositorProtocol
import Glibc
import SharedFrames
import SystemCalls

/// A picture of a program that the compositor has written.
package struct Snapshot: Sendable {
    /// The identifier of the program and the title of the picture.
    package let texts: SnapshotFile.Texts
    /// The time at which the picture was written, in seconds since 1970.
    package let writingTime: Int64
    package let size: PixelSize
    /// The rows without padding; four bytes per pixel: blue, green, red and an unused byte.
    package let pixels: [UInt32]

    /// The file from which the picture was read. A new picture is a new file.
    package let version: Version

    /// The identity of a file with its contents.
    package struct Version: Hashable, Sendable {
        package var inode: UInt64
        /// The time of the last change, in nanoseconds since 1970.
        package var changeTime: Int64

        package init(inode: UInt64 = 0, changeTime: Int64 = 0) { (self.inode, self.changeTime) = (inode, changeTime) }
    }

    /// Creates a picture.
    package init(
        texts: SnapshotFile.Texts, writingTime: Int64, size: PixelSize, pixels: [UInt32], version: Version = Version()
    ) {
        (self.texts, self.writingTime, self.size, self.pixels) = (texts, writingTime, size, pixels)
        self.version = version
    }
}

/// Reads the pictures of all programs. Any process of the user may have written the files.
package enum SnapshotReader {
    /// The most pictures that are read, and the most entries among which they are searched.
    private static let fileLimit = 256, nameLimit = 4096

    /// Returns the pictures in a directory that are not too old, ordered by their programs' identifiers.
    ///
    /// - Parameter known: The result of an earlier call. Files that have not changed since then are not read again.
    package static func snapshots(
        in path: String, now: Int64 = Int64(time(nil)), known: [Snapshot] = []
    ) -> [Snapshot] {
        guard let directory = try? DirectoryDescriptor(opening: path) else { return [] }
        let names = ((try? directory.entryNames(limit: nameLimit)) ?? []).filter { $0.hasSuffix(SnapshotFile.suffix) }
        let knownSnapshots = Dictionary(known.map { ($0.version, $0) }) { first, _ in first }
        let snapshots = names.prefix(fileLimit).compactMap { read($0, in: directory, knownSnapshots) }
            .filter { now - $0.writingTime < SnapshotFile.lifetime }
        return snapshots.sorted { $0.texts.identifier < $1.texts.identifier }
    }

    /// Reads a file; returns nil if it is not a picture of a program.
    private static func read(
        _ name: String, in directory: DirectoryDescriptor, _ known: [Snapshot.Version: Snapshot]
    ) -> Snapshot? {
        guard let file = try? directory.open(name, flags: O_RDONLY) else { return nil }
        var status = stat()
        guard fstat(file.raw, &status) == 0, (1...SnapshotFile.maximumSize).contains(Int(status.st_size)) else {
            return nil
        }
        let time = status.st_mtim
        let version = Snapshot.Version(
            inode: UInt64(status.st_ino), changeTime: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
        if let snapshot = known[version], SnapshotFile.name(for: snapshot.texts.identifier) == name { return snapshot }
        guard let bytes = try? file.bytes(at: 0, count: Int(status.st_size)), let texts = SnapshotFile.texts(in: bytes),
            // A file under the name of another program would appear in that program's place.
            SnapshotFile.name(for: texts.identifier) == name, let image = decode(bytes)
        else { return nil }
        return Snapshot(
            texts: texts, writingTime: Int64(time.tv_sec), size: image.size, pixels: image.pixels, version: version)
    }

    /// The bytes that Cairo reads, and the number of bytes that it has read.
    private struct Input {
        let bytes: UnsafeRawBufferPointer
        var position = 0

        mutating func read(into target: UnsafeMutablePointer<UInt8>, count: Int) -> cairo_status_t {
            guard count <= bytes.count - position, let start = bytes.baseAddress else { return CAIRO_STATUS_READ_ERROR }
            memcpy(target, start + position, count)
            position += count
            return CAIRO_STATUS_SUCCESS
        }
    }

    /// Decodes an image whose header was checked; returns nil if it is damaged.
    private static func decode(_ bytes: [UInt8]) -> (size: PixelSize, pixels: [UInt32])? {
        let surface = bytes.withUnsafeBytes { buffer in
            var input = Input(bytes: buffer)
            return withUnsafeMutablePointer(to: &input) { input in
                cairo_image_surface_create_from_png_stream(
                    { input, target, count in
                        guard let input = input?.assumingMemoryBound(to: Input.self), let target else {
                            return CAIRO_STATUS_READ_ERROR
                        }
                        return input.pointee.read(into: target, count: Int(count))
                    }, input)
            }
        }
        guard let surface else { return nil }
        defer { cairo_surface_destroy(surface) }
        let width = Int(cairo_image_surface_get_width(surface)), height = Int(cairo_image_surface_get_height(surface))
        let stride = Int(cairo_image_surface_get_stride(surface)), format = cairo_image_surface_get_format(surface)
        guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS,
            format == CAIRO_FORMAT_RGB24 || format == CAIRO_FORMAT_ARGB32,
            let data = cairo_image_surface_get_data(surface)
        else { return nil }
        var pixels: [UInt32] = []
        pixels.reserveCapacity(width * height)
        for y in 0..<height {
            for x in 0..<width {
                pixels.append(UnsafeRawPointer(data).load(fromByteOffset: y * stride + x * 4, as: UInt32.self))
            }
        }
        return (PixelSize(width: width, height: height), pixels)
    }
}
