import BackgroundProtocolSamples
import Testing
import WireFormat

@testable import BackgroundProtocol

@Suite struct TaskRequestTests {
    /// Returns whether the service rejects a request that a program changed, although the program did not check it.
    private func isRejected(_ change: (inout TaskRequest) -> Void) -> Bool {
        var request = ClientMessageSamples.upload
        change(&request)
        guard request.fault != nil else { return false }
        var writer = MessageWriter()
        request.write(to: &writer)
        var reader = MessageReader(writer.bytes)
        return (try? TaskRequest(from: &reader)) == nil
    }

    @Test func validRequestsHaveNoFault() {
        #expect(ClientMessageSamples.request.fault == nil && ClientMessageSamples.upload.fault == nil)
    }

    @Test(arguments: ["film.mkv", "", "/" + String(repeating: "x", count: 4096), "/a\0b"])
    func pathsOfUploadsAreAbsoluteAndBounded(_ path: String) { #expect(isRejected { $0.upload = path }) }

    @Test(arguments: [-0.1, 1.1, .nan, .infinity]) func prioritiesOutOfRangeAreRejected(_ priority: Double) {
        #expect(isRejected { $0.priority = priority })
    }

    @Test func aPackageIsADownloadToADirectory() {
        #expect(ClientMessageSamples.package.fault == nil)
        #expect(isRejected { $0.stream = StreamPreferences() })
        var request = ClientMessageSamples.package
        request.hasDirectory = false
        #expect(request.fault == "a package is a download to a directory")
        request.hasDirectory = true
        request.request.method = "POST"
        #expect(request.fault != nil)
    }

    @Test func faultyLanguagesOfAPackageAreRejected() {
        var request = ClientMessageSamples.package
        request.stream?.audioLanguages = ["d e"]
        #expect(request.fault == "a language is not a language tag, such as de or pt-BR")
    }

    @Test func aNegativeBeginIsRejected() { #expect(isRejected { $0.earliestBegin = -1 }) }

    @Test func longTextsAreRejected() {
        #expect(isRejected { $0.fileName = String(repeating: "x", count: 256) })
        #expect(isRejected { $0.description = String(repeating: "x", count: 4097) })
    }

    @Test func lineBreaksInHeaderFieldsAreRejected() {
        #expect(isRejected { $0.request.fields = [HeaderField("A", "b\r\nC: d")] })
    }

    @Test func aShortUUIDHasAFault() {
        var request = ClientMessageSamples.request
        request.uuid.removeLast()
        #expect(request.fault == "a UUID does not have 16 bytes")
    }
}
