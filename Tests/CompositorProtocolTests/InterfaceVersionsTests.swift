import Testing
import WireFormat

@testable import CompositorProtocol

@Suite struct InterfaceVersionsTests {
    @Test("the lower version of each common interface is used; other interfaces are not used")
    func lowerVersionOfEachCommonInterfaceIsUsed() {
        for programVersion in 0...3 as ClosedRange<UInt16> {
            for compositorVersion in 0...3 as ClosedRange<UInt16> {
                let program = InterfaceVersions([1: programVersion, 2: 5])
                let compositor = InterfaceVersions([1: compositorVersion, 9: 7])
                let common = program.common(with: compositor)
                #expect(common[.windows] == min(programVersion, compositorVersion) && common[.audio] == 0)
                #expect(common == compositor.common(with: program))
                let isNewer = InterfaceVersions([1: programVersion]).isNewer(
                    than: InterfaceVersions([1: compositorVersion]))
                #expect(isNewer == (programVersion > compositorVersion))
            }
        }
        #expect(
            InterfaceVersions.supported.common(with: .supported) == .supported
                && !InterfaceVersions.supported.isNewer(than: .supported))
    }

    @Test func unorderedOrTruncatedInterfacesAreRejected() {
        for bytes in [[22, 2, 1, 1, 0, 1, 2, 0], [22, 2, 2, 1, 0, 1, 2, 0], [22, 65], [22, 1, 1], [22, 1, 1, 1]]
            as [[UInt8]]
        {
            #expect(throws: MalformedMessage.self) { try ClientMessage(decoding: bytes) }
        }
    }

    @Test("an unknown message is distinguished from a damaged message")
    func unknownMessageIsDistinguishedFromADamagedMessage() {
        /// Returns whether decoding fails because the message is unknown; nil if decoding succeeds.
        func isUnknownMessage(_ bytes: [UInt8]) -> Bool? {
            do throws(MalformedMessage) {
                _ = try ClientMessage(decoding: bytes)
                return nil
            } catch { return error.isUnknown }
        }
        #expect(isUnknownMessage([255, 1, 2, 3]) == true)
        #expect(isUnknownMessage([2, 1, 0, 0, 0, 77]) == true, "a kind of surface")
        #expect(isUnknownMessage([18, 1, 0, 0, 0, 99]) == true, "an audio request")
        #expect(isUnknownMessage([19, 99]) == true, "a system event")
        #expect(isUnknownMessage([3, 1, 0]) == false && isUnknownMessage([]) == false)
    }
}
