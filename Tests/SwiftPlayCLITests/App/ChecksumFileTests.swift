import Foundation
import MediaPipeline
import SharedFrames
import Testing

@testable import SwiftPlayCLI

@Suite final class ChecksumFileTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "checksums-\(UUID().uuidString)")
    private var path: String { directory.appending(path: "file").path }

    init() throws { try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false) }
    deinit { try? FileManager.default.removeItem(at: directory) }

    /// Returns a frame that carries the checksums of decoded pictures.
    private func frame(_ decoded: [DecodedPicture]) throws -> VideoFrame {
        let gray = try #require(PixelFormat(name: "gray"))
        let layout = try #require(
            FrameLayout(pixelFormat: gray, width: 8, height: 8, planes: [FrameLayout.Plane(offset: 0, stride: 8)]))
        return VideoFrame(
            id: 1, buffer: try FrameBuffer(unpooledSize: 64),
            format: FrameFormat(layout: layout, attributes: PictureAttributes()), presentationTime: 0, duration: 0,
            streamTime: nil, generation: 0, decodedPictures: decoded)
    }

    @Test("A frame is written as one line for each of its decoded pictures")
    func oneLineIsWrittenForEachDecodedPicture() throws {
        let file = try ChecksumFile(path: path)
        file.write(
            try frame([
                DecodedPicture(streamTime: -512, width: 640, height: 360, format: "yuv420p", checksum: "ab"),
                DecodedPicture(streamTime: nil, width: 64, height: 32, format: "nv12", checksum: "cd"),
            ]))
        file.write(try frame([]))
        #expect(file.close() == nil)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text == "-512,640,360,yuv420p,ab\nnone,64,32,nv12,cd\n")
    }

    @Test("An existing file is replaced")
    func anExistingFileIsReplaced() throws {
        try "old".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try ChecksumFile(path: path).close() == nil)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "")
    }

    @Test("A closed file ignores frames, and may be closed again")
    func framesAreIgnoredAfterTheFileIsClosed() throws {
        let file = try ChecksumFile(path: path)
        #expect(file.close() == nil)
        file.write(try frame([DecodedPicture(streamTime: 1, width: 1, height: 1, format: "gray", checksum: "")]))
        #expect(file.close() == nil)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "")
    }

    @Test("A path that cannot be written fails with the path and the reason")
    func creatingAFileAtAnUnwritablePathFailsWithTheReason() {
        let missingPath = directory.appending(path: "missing/file").path
        let error = #expect(throws: ChecksumFile.CreationError.self) { try ChecksumFile(path: missingPath) }
        #expect(error?.description == "cannot write \(missingPath): No such file or directory")
    }

    @Test("A full device is reported when the file is closed")
    func aFullDeviceIsReportedWhenTheFileIsClosed() throws {
        let file = try ChecksumFile(path: "/dev/full")
        file.write(try frame([DecodedPicture(streamTime: 1, width: 1, height: 1, format: "gray", checksum: "ab")]))
        #expect(file.close() == "cannot write /dev/full")
        #expect(file.close() == "cannot write /dev/full", "the failure is kept")
    }
}
