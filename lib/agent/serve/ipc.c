/* SPDX-License-Identifier: MIT */
#include "agent/serve/ipc.h"

#include <stddef.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

/* Each kind: by its place in the kernel's table, whose highest one in use the call with 0 tells. */

static void clear_queues(void)
{
	struct msqid_ds about;
	int last = msgctl(0, MSG_INFO, &about);
	for (int i = 0; i <= last; i++) {
		int id = msgctl(i, MSG_STAT, &about);
		if (id >= 0)
			msgctl(id, IPC_RMID, NULL);
	}
}

static void clear_segments(void)
{
	struct shmid_ds about;
	int last = shmctl(0, SHM_INFO, &about);
	for (int i = 0; i <= last; i++) {
		int id = shmctl(i, SHM_STAT, &about);
		if (id >= 0 && about.shm_nattch == 0)
			shmctl(id, IPC_RMID, NULL);
	}
}

static void clear_semaphores(void)
{
	union {
		int value;
		struct semid_ds *set;
		struct seminfo *info;
	} arg;
	struct semid_ds about;
	struct seminfo info;
	arg.info = &info;
	int last = semctl(0, 0, SEM_INFO, arg);
	arg.set = &about;
	for (int i = 0; i <= last; i++) {
		int id = semctl(i, 0, SEM_STAT, arg);
		if (id >= 0)
			semctl(id, 0, IPC_RMID);
	}
}

void ipc_clear(void)
{
	/* SHM_INFO and its like fill structures of their own, no larger than these. */
	_Static_assert(sizeof(struct shm_info) <= sizeof(struct shmid_ds), "room for SHM_INFO");
	_Static_assert(sizeof(struct msginfo) <= sizeof(struct msqid_ds), "room for MSG_INFO");
	clear_queues();
	clear_segments();
	clear_semaphores();
}
