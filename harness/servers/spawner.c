#include "spawner.h"

#include <bson/bson.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

typedef struct {
    const sp_spawn_t *spawn;
    sp_process_t *process;
    sp_error_t *error;
    bool ok;
    bool done;
} request_t;

struct sp_spawner {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    request_t *request; /* NULL: free for the next */
    bool stop;
};

static void *serve(void *data)
{
    sp_spawner_t *spawner = data;
    pthread_mutex_lock(&spawner->lock);
    while (!spawner->stop) {
        request_t *request = spawner->request;
        if (request == NULL || request->done) {
            pthread_cond_wait(&spawner->changed, &spawner->lock);
            continue;
        }
        request->ok = sp_process_spawn(request->spawn, request->process, request->error);
        request->done = true;
        pthread_cond_broadcast(&spawner->changed);
    }
    pthread_mutex_unlock(&spawner->lock);
    return NULL;
}

sp_spawner_t *sp_spawner_start(sp_error_t *error)
{
    sp_spawner_t *spawner = bson_malloc0(sizeof *spawner);
    pthread_mutex_init(&spawner->lock, NULL);
    pthread_cond_init(&spawner->changed, NULL);
    /* Signals are for the threads that wait for something. */
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&spawner->thread, NULL, serve, spawner);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed == 0)
        return spawner;
    sp_error_set(error, SP_ERROR_SYSTEM, failed, "cannot start a thread: %s", strerror(failed));
    pthread_cond_destroy(&spawner->changed);
    pthread_mutex_destroy(&spawner->lock);
    bson_free(spawner);
    return NULL;
}

bool sp_spawner_spawn(sp_spawner_t *spawner, const sp_spawn_t *spawn, sp_process_t *process,
                      sp_error_t *error)
{
    request_t request = {.spawn = spawn, .process = process, .error = error};
    pthread_mutex_lock(&spawner->lock);
    while (spawner->request != NULL)
        pthread_cond_wait(&spawner->changed, &spawner->lock);
    spawner->request = &request;
    pthread_cond_broadcast(&spawner->changed);
    while (!request.done)
        pthread_cond_wait(&spawner->changed, &spawner->lock);
    spawner->request = NULL;
    pthread_cond_broadcast(&spawner->changed);
    pthread_mutex_unlock(&spawner->lock);
    return request.ok;
}

void sp_spawner_stop(sp_spawner_t *spawner)
{
    if (spawner == NULL)
        return;
    pthread_mutex_lock(&spawner->lock);
    spawner->stop = true;
    pthread_cond_broadcast(&spawner->changed);
    pthread_mutex_unlock(&spawner->lock);
    pthread_join(spawner->thread, NULL);
    pthread_cond_destroy(&spawner->changed);
    pthread_mutex_destroy(&spawner->lock);
    bson_free(spawner);
}
