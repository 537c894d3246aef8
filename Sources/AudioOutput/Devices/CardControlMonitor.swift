import CALSA
import Glibc
import SystemCalls

/// A monitor of the ALSA control interface of one card or sound server: reports changed jacks and volumes, and the loss
/// of the device. Its owner polls ``pollEntries`` and then calls ``events(_:)``.
///
/// `@unchecked Sendable`: the monitor is passed to another thread before the first poll, and then used by that thread
/// only.
///
/// If headphones are unplugged, the PCM device continues to play, and only the control reports the change. A server's
/// control (`default` with PulseAudio's plug-in) has no jacks: it reports volumes and the loss of the server. When the
/// server moves audio between its devices, the cards' own controls report the jacks. Tested with an ALSA plug-in that
/// emulates a card, and with PulseAudio's plug-in; not with real hardware.
package final class CardControlMonitor: @unchecked Sendable {
    /// A change that the ALSA control reports.
    package enum Event: Sendable, Equatable {
        /// A plug was inserted into or removed from a jack.
        case jack(name: String, isPlugged: Bool)
        /// Another mixer element has changed, for example a volume.
        case changed(name: String)
        /// The card was removed or the server was lost; no further events follow.
        case removed
    }

    /// ALSA's name of the control: `hw:0`, `default`.
    package let control: String
    /// The card's name that is shown to users.
    package let cardName: String
    /// The kernel's number of the card; meaningless for plug-ins.
    package let cardNumber: Int?
    /// The jacks with their last known state.
    package private(set) var jacks: [AudioCardInfo.Jack] = []
    /// Whether the card was removed or the server was lost.
    package private(set) var isRemoved = false

    // The ALSA objects that this monitor owns: created in `init`, freed in `deinit`.
    private let handle: OpaquePointer
    private let receivedEvent: OpaquePointer
    private let elementIdentifier: OpaquePointer
    private let elementValue: OpaquePointer
    private var descriptors: [pollfd] = []

    /// Opens a control (`hw:0`, `default`) and subscribes to its events.
    ///
    /// - Throws: `AudioOutputError` if the control cannot be opened or does not support events.
    package init(_ control: String) throws(AudioOutputError) {
        calsa_discard_messages()
        var openedHandle: OpaquePointer?
        let code = snd_ctl_open(&openedHandle, control, SND_CTL_NONBLOCK | SND_CTL_READONLY)
        guard code >= 0, let handle = openedHandle else {
            throw AudioOutputError(device: control, failure: PCMFailure(.open, code < 0 ? code : ENODEV))
        }
        var receivedEvent: OpaquePointer?, elementIdentifier: OpaquePointer?, elementValue: OpaquePointer?
        guard snd_ctl_event_malloc(&receivedEvent) >= 0, snd_ctl_elem_id_malloc(&elementIdentifier) >= 0,
            snd_ctl_elem_value_malloc(&elementValue) >= 0,
            let receivedEvent, let elementIdentifier, let elementValue
        else {
            snd_ctl_close(handle)
            throw AudioOutputError(device: control, failure: PCMFailure(.open, ENOMEM))
        }
        (self.control, self.handle, self.receivedEvent, self.elementIdentifier, self.elementValue) = (
            control, handle, receivedEvent, elementIdentifier, elementValue
        )
        let info = Self.info(handle)
        (cardName, cardNumber) = (info?.name ?? control, info?.card)
        let subscribeCode = snd_ctl_subscribe_events(handle, 1)
        guard subscribeCode >= 0 else {
            throw AudioOutputError(device: control, failure: PCMFailure(.open, subscribeCode))
        }
        let descriptorCount = snd_ctl_poll_descriptors_count(handle)
        descriptors = [pollfd](repeating: pollfd(), count: max(0, Int(descriptorCount)))
        let filledCount = snd_ctl_poll_descriptors(handle, &descriptors, UInt32(descriptors.count))
        descriptors.removeLast(max(0, descriptors.count - max(0, Int(filledCount))))
        jacks = readJacks()
    }

    deinit {
        snd_ctl_close(handle)
        snd_ctl_event_free(receivedEvent)
        snd_ctl_elem_id_free(elementIdentifier)
        snd_ctl_elem_value_free(elementValue)
    }

    /// Returns the name and kernel number of the control's card.
    private static func info(_ handle: OpaquePointer) -> (name: String, card: Int)? {
        var info: OpaquePointer?
        guard snd_ctl_card_info_malloc(&info) >= 0, let info else { return nil }
        defer { snd_ctl_card_info_free(info) }
        guard snd_ctl_card_info(handle, info) >= 0, let name = snd_ctl_card_info_get_name(info) else { return nil }
        return (String(cString: name), Int(snd_ctl_card_info_get_card(info)))
    }

    /// The file descriptors to poll before calling ``events(_:)``.
    package var pollEntries: [Poll.Entry] {
        isRemoved ? [] : descriptors.map { Poll.Entry($0.fd, Poll.Events(rawValue: $0.events)) }
    }

    /// Returns the new events. Never waits.
    ///
    /// - Parameter pollResults: The results of polling ``pollEntries``.
    package func events(_ pollResults: ArraySlice<Poll.Entry>) -> [Event] {
        guard !isRemoved, pollResults.count == descriptors.count else { return [] }
        for (index, entry) in pollResults.enumerated() { descriptors[index].revents = entry.ready.rawValue }
        var ready: UInt16 = 0
        guard snd_ctl_poll_descriptors_revents(handle, &descriptors, UInt32(descriptors.count), &ready) >= 0 else {
            return markRemoved([])
        }
        let state = Poll.Events(rawValue: Int16(bitPattern: ready))
        if state.isEmpty { return [] }
        var newEvents: [Event] = []
        // Read at most 256 events, so that a faulty device cannot cause an endless loop. Further events are read after
        // the next poll.
        for _ in 0..<256 {
            let code = snd_ctl_read(handle, receivedEvent)
            if code == -EINTR { continue }
            if code == -EAGAIN || code == 0 { break }
            if code < 0 { return markRemoved(newEvents) }
            if let newEvent = convertedEvent() { newEvents.append(newEvent) }
        }
        return state.contains(.failed) || state.contains(.invalid) || state.contains(.hungUp)
            ? markRemoved(newEvents) : newEvents
    }

    /// Records that the control is lost. Returns `events` with a ``Event/removed`` event appended.
    private func markRemoved(_ events: [Event]) -> [Event] {
        isRemoved = true
        return events + [.removed]
    }

    /// Converts the ALSA event in ``receivedEvent``; nil if it is not relevant.
    private func convertedEvent() -> Event? {
        guard snd_ctl_event_get_type(receivedEvent) == SND_CTL_EVENT_ELEM else { return nil }
        let mask = snd_ctl_event_elem_get_mask(receivedEvent)
        snd_ctl_event_elem_get_id(receivedEvent, elementIdentifier)
        guard mask != SND_CTL_EVENT_MASK_REMOVE, mask & UInt32(SND_CTL_EVENT_MASK_VALUE) != 0,
            let text = snd_ctl_elem_id_get_name(elementIdentifier)
        else { return nil }
        let name = String(cString: text)
        guard let index = jacks.firstIndex(where: { $0.name == name }) else { return .changed(name: name) }
        guard let isPlugged = isPlugged() else { return nil }
        jacks[index].isPlugged = isPlugged
        return .jack(name: name, isPlugged: isPlugged)
    }

    /// Returns the state of the jack in ``elementIdentifier``; nil if it cannot be read.
    private func isPlugged() -> Bool? {
        snd_ctl_elem_value_set_id(elementValue, elementIdentifier)
        guard snd_ctl_elem_read(handle, elementValue) >= 0 else { return nil }
        return snd_ctl_elem_value_get_boolean(elementValue, 0) != 0
    }

    /// The playback volume from 0 (minimum) to 1 (maximum), 0 while muted; nil if the control has no such element. If
    /// the control belongs to a sound server, reading this property waits for the server.
    package var volume: Float? {
        for name in ["Master", "PCM", "Speaker", "Headphone", "Digital"] {
            guard let levels = element("\(name) Playback Volume", SND_CTL_ELEM_TYPE_INTEGER),
                levels.minimum < levels.maximum, let level = levels.values.max()
            else { continue }
            let switches = element("\(name) Playback Switch", SND_CTL_ELEM_TYPE_BOOLEAN)
            if switches?.values.allSatisfy({ $0 == 0 }) == true { return 0 }
            return min(1, max(0, Float(level - levels.minimum) / Float(levels.maximum - levels.minimum)))
        }
        return nil
    }

    /// Returns the range and the channel values of a mixer element; nil if there is no such element of this type.
    private func element(_ name: String, _ type: snd_ctl_elem_type_t) -> (minimum: Int, maximum: Int, values: [Int])? {
        var info: OpaquePointer?
        guard snd_ctl_elem_info_malloc(&info) >= 0, let info else { return nil }
        defer { snd_ctl_elem_info_free(info) }
        snd_ctl_elem_info_set_interface(info, SND_CTL_ELEM_IFACE_MIXER)
        snd_ctl_elem_info_set_name(info, name)
        guard snd_ctl_elem_info(handle, info) >= 0, snd_ctl_elem_info_get_type(info) == type else { return nil }
        snd_ctl_elem_value_clear(elementValue)
        snd_ctl_elem_value_set_interface(elementValue, SND_CTL_ELEM_IFACE_MIXER)
        snd_ctl_elem_value_set_name(elementValue, name)
        guard snd_ctl_elem_read(handle, elementValue) >= 0 else { return nil }
        let channels = 0..<min(snd_ctl_elem_info_get_count(info), 32)
        guard type == SND_CTL_ELEM_TYPE_INTEGER else {
            return (0, 1, channels.map { Int(snd_ctl_elem_value_get_boolean(elementValue, $0)) })
        }
        return (
            snd_ctl_elem_info_get_min(info), snd_ctl_elem_info_get_max(info),
            channels.map { snd_ctl_elem_value_get_integer(elementValue, $0) }
        )
    }

    /// Returns all jacks of the card with their current state.
    private func readJacks() -> [AudioCardInfo.Jack] {
        var list: OpaquePointer?
        guard snd_ctl_elem_list_malloc(&list) >= 0, let list else { return [] }
        defer { snd_ctl_elem_list_free(list) }
        guard snd_ctl_elem_list(handle, list) >= 0 else { return [] }
        let count = min(snd_ctl_elem_list_get_count(list), 4096)
        guard count > 0, snd_ctl_elem_list_alloc_space(list, count) >= 0 else { return [] }
        defer { snd_ctl_elem_list_free_space(list) }
        guard snd_ctl_elem_list(handle, list) >= 0 else { return [] }
        return (0..<snd_ctl_elem_list_get_used(list)).compactMap { index in
            guard snd_ctl_elem_list_get_interface(list, index) == SND_CTL_ELEM_IFACE_CARD,
                let text = snd_ctl_elem_list_get_name(list, index)
            else { return nil }
            let name = String(cString: text)
            guard name.hasSuffix("Jack") else { return nil }
            snd_ctl_elem_list_get_id(list, index, elementIdentifier)
            return isPlugged().map { AudioCardInfo.Jack(name, isPlugged: $0) }
        }
    }
}
